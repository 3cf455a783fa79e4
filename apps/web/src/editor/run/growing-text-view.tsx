import type { GrowingText } from '../../lib/growing-texts.ts';

/** What models of a node write, as it comes; the newest lines stay in view. */
export function GrowingTextView({ texts, label }: { texts: readonly GrowingText[]; label?: string }) {
  if (texts.length === 0) return null;
  return (
    <div className="flex max-h-60 flex-col-reverse overflow-y-auto border-b border-line px-3.5 py-2.5 text-sm">
      <div className="flex flex-col gap-2">
        {label === undefined ? null : <p className="font-medium">{label}</p>}
        {texts.map(({ key, text }) => (
          <p key={key} className="break-words whitespace-pre-wrap text-soft" dir="auto">
            {text}
          </p>
        ))}
      </div>
    </div>
  );
}
