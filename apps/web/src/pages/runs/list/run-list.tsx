import type { HistoryItem } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { useIsPhone } from '../../../lib/use-media.ts';
import type { RunPageSearch } from '../../../search.ts';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { Ago, Duration, Elapsed } from '../../../ui/display/time.tsx';
import type { Column } from '../../../ui/layout/data-table.tsx';
import { selectColumn } from '../../../ui/layout/select-column.tsx';
import type { Selection } from '../../../ui/layout/use-selection.ts';
import { VirtualTable } from '../../../ui/layout/virtual-table.tsx';
import { ReplayBadge } from '../lineage.tsx';
import { RanVersion } from '../ran-version.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { SourceLabel } from './source-label.tsx';
import { UnusualBadges } from './unusual-badges.tsx';

interface RunListProps extends Selection {
  runs: readonly HistoryItem[];
  /** The parameters that the page of a run needs from this list. */
  search: RunPageSearch;
  activeId: string | undefined;
  /** Leaves out what the details beside the list say. */
  compact: boolean;
  onOpen: (id: string) => void;
  onEnd: () => void;
}

type Shown = Pick<RunListProps, 'selected' | 'onSelect' | 'compact' | 'search'> & { phone: boolean };

function useColumns({ selected, onSelect, compact, search, phone }: Shown): Column<HistoryItem>[] {
  const ui = useTranslations('ui');
  const t = useRunsTexts();
  return useMemo(
    () => [
      selectColumn({
        selected,
        onSelect,
        header: ui('select_all'),
        getId: (run) => run.id,
        getLabel: (run) => t('select_run', { name: run.workflow_name }),
      }),
      {
        id: 'status',
        header: t('status'),
        width: phone ? '104px' : '128px',
        cell: (run) => <StatusChip status={run.waits_behind === null ? run.status : 'queued'} look="line" />,
      },
      {
        id: 'workflow',
        header: t('workflow'),
        width: phone ? 'minmax(0, 1fr)' : 'minmax(140px, 2fr)',
        cell: (run) => (
          <>
            <span className="min-w-0">
              <Link
                to="/runs/$id"
                params={{ id: run.id }}
                search={search}
                className="block truncate font-medium hover:underline"
              >
                {run.workflow_name}
              </Link>
              <span className="block truncate text-sm text-faint md:hidden">
                <Ago at={run.started_at} />
              </span>
            </span>
            <RanVersion run={run} short />
            <ReplayBadge run={run} />
            <UnusualBadges run={run} />
          </>
        ),
      },
      ...(compact
        ? []
        : [
            {
              id: 'source',
              header: t('source'),
              wide: true,
              width: 'minmax(110px, 1fr)',
              cell: (run: HistoryItem) => <SourceLabel source={run.trigger_source} />,
            },
          ]),
      {
        id: 'started',
        header: t('started'),
        wide: true,
        width: '130px',
        cell: (run: HistoryItem) => <Ago at={run.started_at} className="truncate text-soft" />,
      },
      {
        id: 'duration',
        header: t('duration'),
        align: 'end',
        width: phone ? '72px' : '92px',
        cell: (run) =>
          run.status === 'running' && run.waits_behind === null ? (
            <Elapsed since={run.started_at} className="tabular text-soft" />
          ) : (
            <Duration ms={run.execution_time_ms} className="tabular text-soft" />
          ),
      },
    ],
    [t, ui, selected, onSelect, compact, search, phone],
  );
}

export function RunList({
  runs,
  search,
  activeId,
  compact,
  selected,
  onSelect,
  onOpen,
  onEnd,
}: RunListProps) {
  const t = useRunsTexts();
  const phone = useIsPhone();
  const columns = useColumns({ selected, onSelect, compact, search, phone });
  return (
    <VirtualTable
      label={t('title')}
      columns={columns}
      rows={runs}
      rowKey={(run) => run.id}
      activeKey={activeId}
      onOpen={(run) => onOpen(run.id)}
      onEnd={onEnd}
      rowHeight={phone ? 50 : 36}
    />
  );
}
