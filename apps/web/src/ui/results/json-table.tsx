import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../actions/button.tsx';
import { collectColumns } from './result-kinds.ts';

const STEP = 100;

function cellText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

/** A list of objects as a table; a hundred rows at a time. */
export function JsonTable({ rows, label }: { rows: readonly Record<string, unknown>[]; label: string }) {
  const t = useTranslations('ui');
  const [shown, setShown] = useState(STEP);
  const columns = collectColumns(rows);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
    <div role="group" aria-label={label} tabIndex={0} className="h-full overflow-auto">
      <table className="min-w-full text-sm">
        <thead className="sticky top-0 bg-canvas">
          <tr>
            <th scope="col" className="border-b border-line px-2 py-1.5 text-right font-medium text-faint">
              #
            </th>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className="border-b border-line px-2 py-1.5 text-left font-medium text-faint"
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows are known by their place
            <tr key={index} className="hover:bg-hover">
              <td className="border-b border-line px-2 py-1 text-right text-faint">{index + 1}</td>
              {columns.map((column) => (
                <td
                  key={column}
                  className="max-w-80 truncate border-b border-line px-2 py-1 font-mono"
                  title={cellText(row[column])}
                >
                  {cellText(row[column])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown ? (
        <Button tone="quiet" size="small" className="m-2" onClick={() => setShown(shown + 10 * STEP)}>
          {t('show_more', { count: rows.length - shown })}
        </Button>
      ) : null}
    </div>
  );
}
