import type { AuditEntry } from '@millrace/contracts';
import { ScrollText, ShieldX } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { type AuditFilters, useAudit } from '../../data/audit.ts';
import { useMe } from '../../data/session.ts';
import { useLoadMore } from '../../lib/use-load-more.ts';
import { useIsPhone } from '../../lib/use-media.ts';
import { CodeBlock } from '../../ui/display/code-block.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import { DateTime } from '../../ui/display/time.tsx';
import { FilterSelect } from '../../ui/forms/filters.tsx';
import { Segmented } from '../../ui/forms/toggles.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { VirtualTable } from '../../ui/layout/virtual-table.tsx';
import { Sheet } from '../../ui/overlays/dialog.tsx';
import { useAuditTexts } from './texts/use-audit-texts.ts';

const KINDS = [
  'workflow',
  'folder',
  'credential',
  'global_variable',
  'team',
  'file',
  'workflow_template',
  'node_template',
  'vector_store',
  'data_table',
  'eval_suite',
  'eval_run',
  'board',
  'skill',
] as const;

/** The kind in words; kinds that this app does not know show as they are. */
function useKindText(): (kind: string) => string {
  const t = useAuditTexts();
  return useCallback(
    (kind) => {
      const known = KINDS.find((candidate) => candidate === kind);
      return known ? t(`kind_${known}`) : kind;
    },
    [t],
  );
}

function useColumns(): Column<AuditEntry>[] {
  const t = useAuditTexts();
  const kindText = useKindText();
  return useMemo(
    () => [
      {
        id: 'at',
        header: t('at'),
        width: '212px',
        cell: ({ at }) => <DateTime at={at} seconds className="truncate text-soft" />,
      },
      {
        id: 'actor',
        header: t('actor'),
        wide: true,
        width: 'minmax(130px, 1fr)',
        cell: ({ actor_email }) => <span className="truncate">{actor_email ?? t('service')}</span>,
      },
      {
        id: 'action',
        header: t('action'),
        width: 'minmax(120px, 1.2fr)',
        cell: ({ action, outcome }) => (
          <>
            <code className="truncate text-sm">{action}</code>
            {outcome === 'refused' ? (
              <Badge tone="danger">
                <ShieldX aria-hidden />
                {t('refused')}
              </Badge>
            ) : null}
          </>
        ),
      },
      {
        id: 'object',
        header: t('object'),
        wide: true,
        width: 'minmax(140px, 1.4fr)',
        cell: ({ object_kind, object_name, object_id }) => (
          <>
            <span className="shrink-0 text-sm text-faint">{kindText(object_kind)}</span>
            <span className="truncate">{object_name ?? object_id}</span>
          </>
        ),
      },
      {
        id: 'ip',
        header: t('ip'),
        wide: true,
        width: '130px',
        cell: ({ client_ip }) => (
          <span className="tabular truncate text-sm text-soft">{client_ip ?? '–'}</span>
        ),
      },
    ],
    [t, kindText],
  );
}

/** Who did what, and what was refused. */
export function AuditPage() {
  const t = useAuditTexts();
  const me = useMe();
  const phone = useIsPhone();
  const kindText = useKindText();
  const [filters, setFilters] = useState<AuditFilters>({});
  const [open, setOpen] = useState<AuditEntry>();
  const list = useAudit(filters);
  const columns = useColumns();
  const entries = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const onEnd = useLoadMore(list);
  const change = (part: { [key in keyof AuditFilters]?: AuditFilters[key] | undefined }) => {
    const next = { ...filters, ...part };
    setFilters(
      Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) as AuditFilters,
    );
  };
  return (
    <Page
      fill
      title={t('title')}
      toolbar={
        <>
          <FilterSelect
            label={t('object')}
            any={t('any_kind')}
            value={filters.object_kind}
            values={KINDS}
            getLabel={kindText}
            onChange={(object_kind) => change({ object_kind })}
          />
          <FilterSelect
            label={t('outcome')}
            any={t('any_outcome')}
            value={filters.outcome}
            values={['done', 'refused']}
            getLabel={(outcome) => t(outcome)}
            onChange={(outcome) => change({ outcome })}
          />
          {me.is_admin ? (
            <Segmented
              label={t('whose')}
              value={filters.all ? 'all' : 'own'}
              onChange={(whose) => change({ all: whose === 'all' ? true : undefined })}
              choices={[
                { value: 'own', label: t('own') },
                { value: 'all', label: t('all_users') },
              ]}
            />
          ) : null}
        </>
      }
    >
      {list.isPending ? (
        <SkeletonRows rows={12} />
      ) : list.isLoadingError ? (
        <LoadFailed error={list.error} onRetry={() => void list.refetch()} />
      ) : entries.length === 0 ? (
        <EmptyState icon={<ScrollText aria-hidden />} title={t('none')}>
          {t('none_hint')}
        </EmptyState>
      ) : (
        <VirtualTable
          label={t('title')}
          columns={columns}
          rows={entries}
          rowKey={(entry) => entry.id}
          onOpen={setOpen}
          onEnd={onEnd}
          activeKey={open?.id}
          rowHeight={phone ? 46 : 34}
        />
      )}
      <Sheet
        open={open !== undefined}
        onOpenChange={() => setOpen(undefined)}
        title={open?.action ?? ''}
        description={open?.object_name ?? undefined}
      >
        {open ? <EntryDetail entry={open} /> : null}
      </Sheet>
    </Page>
  );
}

function EntryDetail({ entry }: { entry: AuditEntry }) {
  const t = useAuditTexts();
  const kindText = useKindText();
  const rows: [string, string | null][] = [
    [t('actor'), entry.actor_email ?? t('service')],
    [t('outcome'), entry.outcome === 'done' ? t('done') : t('refused')],
    [t('object'), kindText(entry.object_kind)],
    [t('object_id'), entry.object_id],
    [t('ip'), entry.client_ip],
    [t('request'), entry.request_id],
  ];
  return (
    <div className="flex flex-col gap-5 p-4">
      <dl className="grid grid-cols-[120px_minmax(0,1fr)] gap-y-1.5 [&_dd]:break-words [&_dt]:text-faint">
        <dt>{t('at')}</dt>
        <dd>
          <DateTime at={entry.at} seconds />
        </dd>
        {rows.map(([name, value]) =>
          value ? (
            <div key={name} className="contents">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      {entry.details ? (
        <CodeBlock
          label={t('details')}
          caption={t('details')}
          code={JSON.stringify(entry.details, null, 2)}
          wrap
        />
      ) : null}
    </div>
  );
}
