import type { InboxEntry } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { Badge } from '../../ui/display/status-chip.tsx';
import { Ago } from '../../ui/display/time.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { selectColumn } from '../../ui/layout/select-column.tsx';
import type { Selection } from '../../ui/layout/use-selection.ts';
import { VirtualTable } from '../../ui/layout/virtual-table.tsx';
import { ReplayBadge } from '../runs/lineage.tsx';
import { SourceLabel } from '../runs/list/source-label.tsx';
import { useRunsTexts } from '../runs/texts/use-runs-texts.ts';
import { useInboxTexts } from './texts/use-inbox-texts.ts';

interface InboxListProps extends Selection {
  entries: readonly InboxEntry[];
  onOpen: (entry: InboxEntry) => void;
  onEnd: () => void;
}

/** A refused delivery has no run; its workflow has the trigger that refused it. */
export const toLinkTarget = ({ kind, execution_id, workflow_id }: InboxEntry) =>
  kind === 'refused'
    ? ({ to: '/workflows/$id', params: { id: workflow_id } } as const)
    : ({ to: '/runs/$id', params: { id: execution_id } } as const);

function useColumns({ selected, onSelect }: Selection): Column<InboxEntry>[] {
  const ui = useTranslations('ui');
  const runsText = useRunsTexts();
  const t = useInboxTexts();
  const status = useTranslations('status');
  return useMemo(
    () => [
      selectColumn({
        selected,
        onSelect,
        header: ui('select_all'),
        getId: ({ execution_id }) => execution_id,
        getLabel: ({ workflow_name }) => runsText('select_run', { name: workflow_name }),
      }),
      {
        id: 'reason',
        header: t('reason'),
        width: 'minmax(160px, 3fr)',
        cell: (entry) => (
          <>
            <span className="min-w-0">
              <Link
                {...toLinkTarget(entry)}
                title={entry.reason ?? undefined}
                className="block truncate font-medium hover:underline"
              >
                {entry.reason ?? status('error')}
              </Link>
              <span className="block truncate text-sm text-faint">
                {[entry.workflow_name, entry.node_label].filter((part) => part !== null).join(' · ')}
                <span className="md:hidden">
                  {' · '}
                  <Ago at={entry.started_at} />
                </span>
              </span>
            </span>
            {entry.kind === 'given_up' ? <Badge tone="warning">{t('kind_given_up')}</Badge> : null}
            {entry.refusal ? (
              <Badge tone={entry.refusal.can_be_sent ? 'neutral' : 'warning'}>
                {t(entry.refusal.can_be_sent ? 'kind_refused' : 'refused_without_content', {
                  count: entry.refusal.count,
                })}
              </Badge>
            ) : null}
            <ReplayBadge run={entry} />
          </>
        ),
      },
      {
        id: 'source',
        header: runsText('source'),
        wide: true,
        width: 'minmax(110px, 1fr)',
        cell: ({ trigger_source }) => <SourceLabel source={trigger_source} />,
      },
      {
        id: 'started',
        header: runsText('started'),
        wide: true,
        width: '130px',
        cell: ({ started_at }) => <Ago at={started_at} className="truncate text-soft" />,
      },
    ],
    [t, ui, runsText, status, selected, onSelect],
  );
}

export function InboxList({ entries, selected, onSelect, onOpen, onEnd }: InboxListProps) {
  const t = useTranslations('nav');
  return (
    <VirtualTable
      label={t('inbox')}
      columns={useColumns({ selected, onSelect })}
      rows={entries}
      rowKey={({ execution_id }) => execution_id}
      onOpen={onOpen}
      onEnd={onEnd}
      rowHeight={50}
    />
  );
}
