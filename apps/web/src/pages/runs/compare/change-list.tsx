import type { JsonChange } from '../../../lib/json/json-diff.ts';
import { pathText } from '../../../lib/json/json-path.ts';
import { useRunsTexts } from '../texts/use-runs-texts.ts';

const SHOWN = 50;
const TEXT_LIMIT = 300;

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}…` : text;
}

/** Differences of two values: where, what it was, what it is. */
export function ChangeList({ changes }: { changes: readonly JsonChange[] }) {
  const t = useRunsTexts();
  return (
    <>
      <div className="overflow-x-auto rounded-m border border-line bg-surface">
        <table className="w-full text-sm">
          <thead>
            <tr className="text-left text-faint [&>th]:border-b [&>th]:border-line [&>th]:px-3 [&>th]:py-1.5 [&>th]:font-medium">
              <th scope="col">{t('path')}</th>
              <th scope="col">A</th>
              <th scope="col">B</th>
            </tr>
          </thead>
          <tbody className="font-mono [&_td]:border-b [&_td]:border-line [&_td]:px-3 [&_td]:py-1 [&_td]:align-top [&_td]:break-all [&_tr:last-child>td]:border-b-0">
            {changes.slice(0, SHOWN).map((change) => (
              <tr key={pathText(change.path)}>
                <td className="text-soft">{pathText(change.path) || '$'}</td>
                <td className={change.kind === 'added' ? 'text-faint' : 'bg-danger-tint text-danger'}>
                  {change.kind === 'added' ? '–' : shorten(change.before)}
                </td>
                <td className={change.kind === 'removed' ? 'text-faint' : 'bg-success-tint text-success'}>
                  {change.kind === 'removed' ? '–' : shorten(change.after)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {changes.length > SHOWN ? (
        <p className="pt-2 text-sm text-faint">{t('more_changes', { count: changes.length - SHOWN })}</p>
      ) : null}
    </>
  );
}
