import type { InboxEntry } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { Badge } from '../../ui/display/status-chip.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { VirtualTable } from '../../ui/layout/virtual-table.tsx';
import { ReplayBadge } from '../runs/lineage.tsx';
import { SourceLabel } from '../runs/source-label.tsx';

interface InboxListProps {
  entries: readonly InboxEntry[];
  selected: ReadonlySet<string>;
  onSelect: (id: string, on: boolean) => void;
  onOpen: (id: string) => void;
  onEnd: () => void;
}

function useColumns({
  selected,
  onSelect,
}: Pick<InboxListProps, 'selected' | 'onSelect'>): Column<InboxEntry>[] {
  const t = useTranslations();
  return useMemo(
    () => [
      {
        id: 'select',
        header: t('runs.select'),
        hideHeader: true,
        width: '36px',
        cell: ({ execution_id, workflow_name }) => (
          <Checkbox
            hideLabel
            label={t('runs.select_run', { name: workflow_name })}
            checked={selected.has(execution_id)}
            onChange={(on) => onSelect(execution_id, on)}
          />
        ),
      },
      {
        id: 'reason',
        header: t('inbox.reason'),
        width: 'minmax(160px, 3fr)',
        cell: (entry) => (
          <>
            <span className="min-w-0">
              <Link
                to="/runs/$id"
                params={{ id: entry.execution_id }}
                className="block truncate font-medium hover:underline"
              >
                {entry.reason ?? t('status.error')}
              </Link>
              <span className="block truncate text-sm text-faint">
                {[entry.workflow_name, entry.node_label].filter((part) => part !== null).join(' · ')}
                <span className="md:hidden">
                  {' · '}
                  <Ago at={entry.started_at} />
                </span>
              </span>
            </span>
            {entry.kind === 'given_up' ? <Badge tone="warning">{t('inbox.kind_given_up')}</Badge> : null}
            <ReplayBadge run={entry} />
          </>
        ),
      },
      {
        id: 'source',
        header: t('runs.source'),
        wide: true,
        width: 'minmax(110px, 1fr)',
        cell: ({ trigger_source }) => <SourceLabel source={trigger_source} />,
      },
      {
        id: 'started',
        header: t('runs.started'),
        wide: true,
        width: '130px',
        cell: ({ started_at }) => <Ago at={started_at} className="truncate text-soft" />,
      },
    ],
    [t, selected, onSelect],
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
      onOpen={({ execution_id }) => onOpen(execution_id)}
      onEnd={onEnd}
      rowHeight={50}
    />
  );
}
