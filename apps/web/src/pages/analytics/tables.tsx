import type { WorkflowStats } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useFormatter } from 'use-intl';
import type { AnalyticsSearch } from '../../search.ts';
import { Duration } from '../../ui/display/time.tsx';
import { type Column, DataTable } from '../../ui/layout/data-table.tsx';
import type { Bucket } from './buckets.ts';
import { useAnalyticsTexts } from './texts/use-analytics-texts.ts';
import { usePercent } from './use-percent.ts';

const NUMBER = { width: '100px', align: 'end' } as const;

interface BucketTableProps {
  buckets: readonly Bucket[];
  formatTime: (at: string) => string;
  onZoom: (bucket: Bucket) => void;
}

/** The data of the charts, newest first; buckets without runs are left out. */
export function BucketTable({ buckets, formatTime, onZoom }: BucketTableProps) {
  const t = useAnalyticsTexts();
  const format = useFormatter();
  const columns = useMemo<Column<Bucket>[]>(
    () => [
      {
        id: 'from',
        header: t('from'),
        width: 'minmax(120px, 1fr)',
        cell: (bucket) => (
          <button
            type="button"
            className="truncate text-accent-text underline-offset-2 hover:underline"
            aria-label={t('zoom_to', { time: formatTime(bucket.from) })}
            onClick={() => onZoom(bucket)}
          >
            {formatTime(bucket.from)}
          </button>
        ),
      },
      { ...NUMBER, width: '72px', id: 'runs', header: t('runs'), cell: ({ runs }) => format.number(runs) },
      {
        ...NUMBER,
        id: 'succeeded',
        header: t('succeeded'),
        wide: true,
        cell: ({ succeeded }) => format.number(succeeded),
      },
      {
        ...NUMBER,
        width: '120px',
        id: 'failed',
        header: t('failed'),
        cell: ({ failed }) => format.number(failed),
      },
      {
        ...NUMBER,
        width: '140px',
        id: 'average',
        header: t('average'),
        wide: true,
        cell: ({ average_ms }) => <Duration ms={average_ms} />,
      },
    ],
    [t, format, formatTime, onZoom],
  );
  const rows = buckets.filter(({ runs }) => runs > 0).toReversed();
  return (
    <DataTable
      className="max-h-80 overflow-y-auto"
      label={t('over_time')}
      columns={columns}
      rows={rows}
      rowKey={({ from }) => from}
    />
  );
}

interface WorkflowTableProps {
  label: string;
  items: readonly WorkflowStats[];
  search: AnalyticsSearch;
}

/** Workflows with their figures; each leads to its own analytics. */
export function WorkflowTable({ label, items, search }: WorkflowTableProps) {
  const t = useAnalyticsTexts();
  const format = useFormatter();
  const percent = usePercent();
  const columns = useMemo<Column<WorkflowStats>[]>(
    () => [
      {
        id: 'workflow',
        header: t('workflow'),
        width: 'minmax(120px, 2fr)',
        cell: ({ workflow_id, workflow_name }) => (
          <Link
            to="/analytics"
            search={{ ...search, workflow: workflow_id }}
            title={workflow_name}
            className="truncate text-accent-text underline-offset-2 hover:underline"
          >
            {workflow_name}
          </Link>
        ),
      },
      {
        ...NUMBER,
        width: '80px',
        id: 'runs',
        header: t('runs'),
        cell: ({ execution_count }) => format.number(execution_count),
      },
      {
        ...NUMBER,
        width: '120px',
        id: 'failed',
        header: t('failed'),
        cell: ({ error_count }) => format.number(error_count),
      },
      {
        ...NUMBER,
        width: '110px',
        id: 'rate',
        header: t('success_rate'),
        wide: true,
        cell: ({ success_rate }) => percent(success_rate),
      },
    ],
    [t, format, percent, search],
  );
  return <DataTable label={label} columns={columns} rows={items} rowKey={({ workflow_id }) => workflow_id} />;
}
