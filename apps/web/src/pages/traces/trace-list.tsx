import type { TraceItem } from '@millrace/contracts';
import { useMemo } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { costText } from '../../lib/cost-text.ts';
import { StatusChip } from '../../ui/display/status-chip.tsx';
import { Ago, Duration } from '../../ui/display/time.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { VirtualTable } from '../../ui/layout/virtual-table.tsx';
import { useTracesTexts } from './texts/use-traces-texts.ts';

interface TraceListProps {
  traces: readonly TraceItem[];
  activeId: string | undefined;
  onOpen: (id: string) => void;
  onEnd: () => void;
}

function useColumns(): Column<TraceItem>[] {
  const t = useTracesTexts();
  const locale = useLocale();
  return useMemo(
    () => [
      {
        id: 'model',
        header: t('model'),
        width: 'minmax(160px, 2.4fr)',
        cell: (trace) => (
          <>
            <StatusChip status={trace.status} look="icon" />
            <span className="min-w-0">
              <span className="block truncate font-medium">{trace.model}</span>
              <span className="block truncate text-sm text-faint">
                {[trace.workflow_name ?? t(`source_${trace.source}`), trace.node_label]
                  .filter((part) => part !== null)
                  .join(' · ')}
                <span className="md:hidden">
                  {' · '}
                  <Ago at={trace.created_at} />
                </span>
              </span>
            </span>
          </>
        ),
      },
      {
        id: 'source',
        header: t('source'),
        wide: true,
        width: 'minmax(110px, 1fr)',
        cell: ({ source }) => <span className="truncate text-soft">{t(`source_${source}`)}</span>,
      },
      {
        id: 'tokens',
        header: t('tokens'),
        wide: true,
        align: 'end',
        width: '90px',
        cell: ({ total_tokens }) => total_tokens?.toLocaleString(locale) ?? '–',
      },
      {
        id: 'cost',
        header: t('cost'),
        align: 'end',
        width: '90px',
        cell: ({ cost_usd }) => (cost_usd === null ? '–' : costText(cost_usd, locale)),
      },
      {
        id: 'time',
        header: t('time'),
        wide: true,
        align: 'end',
        width: '90px',
        cell: ({ elapsed_ms }) => <Duration ms={elapsed_ms} />,
      },
      {
        id: 'started',
        header: t('started'),
        wide: true,
        width: '130px',
        cell: ({ created_at }) => <Ago at={created_at} className="truncate text-soft" />,
      },
    ],
    [t, locale],
  );
}

export function TraceList({ traces, activeId, onOpen, onEnd }: TraceListProps) {
  const nav = useTranslations('nav');
  return (
    <VirtualTable
      label={nav('traces')}
      columns={useColumns()}
      rows={traces}
      rowKey={({ id }) => id}
      onOpen={({ id }) => onOpen(id)}
      onEnd={onEnd}
      activeKey={activeId}
      rowHeight={50}
    />
  );
}
