import { useShallow } from 'zustand/react/shallow';
import { useRun } from '../document/context.ts';

/** The text that models of a node write, as it comes; the newest lines stay in view. */
export function GrowingTextView({ node_id, label }: { node_id: string; label?: string }) {
  const texts = useRun(useShallow((state) => state.texts.filter((text) => text.node_id === node_id)));
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
