import { clsx } from 'clsx';
import { useMemo } from 'react';
import { useFormatter, useLocale } from 'use-intl';
import { costText } from '../../../lib/cost-text.ts';
import { type Column, DataTable } from '../../../ui/layout/data-table.tsx';
import { useTracesTexts } from '../texts/use-traces-texts.ts';
import type { CostBucket, CostGroup } from './cost-parts.ts';

const NUMBER = { width: '100px', align: 'end' } as const;

interface GroupTableProps {
  label: string;
  groups: readonly CostGroup[];
  onWorkflow: (id: string) => void;
}

/** Groups with their sums; a workflow narrows the view to itself. */
export function GroupTable({ label, groups, onWorkflow }: GroupTableProps) {
  const t = useTracesTexts();
  const format = useFormatter();
  const locale = useLocale();
  const columns = useMemo<Column<CostGroup>[]>(
    () => [
      {
        id: 'name',
        header: label,
        width: 'minmax(110px, 2fr)',
        cell: ({ label: name, dot, workflow_id }) => (
          <>
            <span aria-hidden className={clsx('size-2.5 shrink-0 rounded-s', dot)} />
            {workflow_id === null ? (
              <span className="truncate">{name}</span>
            ) : (
              <button
                type="button"
                title={name}
                className="truncate text-accent-text underline-offset-2 hover:underline"
                aria-label={t('only_workflow', { name })}
                onClick={() => onWorkflow(workflow_id)}
              >
                {name}
              </button>
            )}
          </>
        ),
      },
      {
        ...NUMBER,
        id: 'calls',
        header: t('calls'),
        wide: true,
        cell: ({ series }) => format.number(series.calls),
      },
      {
        ...NUMBER,
        id: 'prompt',
        header: t('tokens_in'),
        wide: true,
        width: '120px',
        cell: ({ series }) => format.number(series.prompt_tokens),
      },
      {
        ...NUMBER,
        id: 'completion',
        header: t('tokens_out'),
        wide: true,
        width: '120px',
        cell: ({ series }) => format.number(series.completion_tokens),
      },
      {
        ...NUMBER,
        id: 'cost',
        header: t('cost'),
        cell: ({ series }) => costText(series.cost_usd, locale),
      },
    ],
    [t, format, locale, label, onWorkflow],
  );
  return <DataTable label={label} columns={columns} rows={groups} rowKey={({ key }) => key} />;
}

interface CostTableProps {
  buckets: readonly CostBucket[];
  formatTime: (at: string) => string;
}

/** The data of the charts, newest first; buckets without calls are left out. */
export function CostTable({ buckets, formatTime }: CostTableProps) {
  const t = useTracesTexts();
  const format = useFormatter();
  const locale = useLocale();
  const columns = useMemo<Column<CostBucket>[]>(
    () => [
      { id: 'from', header: t('from'), width: 'minmax(120px, 1fr)', cell: ({ from }) => formatTime(from) },
      { ...NUMBER, id: 'tokens', header: t('tokens'), cell: ({ tokens }) => format.number(tokens) },
      { ...NUMBER, id: 'cost', header: t('cost'), cell: ({ cost_usd }) => costText(cost_usd, locale) },
    ],
    [t, format, locale, formatTime],
  );
  const rows = buckets.filter(({ tokens, cost_usd }) => tokens > 0 || cost_usd > 0).toReversed();
  return (
    <DataTable
      className="max-h-80 overflow-y-auto"
      label={t('costs_over_time')}
      columns={columns}
      rows={rows}
      rowKey={({ from }) => from}
    />
  );
}
