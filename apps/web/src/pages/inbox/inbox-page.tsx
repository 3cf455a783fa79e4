import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { type InboxFilters as Filters, inboxQuery } from '../../data/inbox.ts';
import type { InboxSearch } from '../../search.ts';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Count } from '../../ui/display/status-chip.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { useSelection } from '../../ui/layout/use-selection.ts';
import { InboxBar } from './inbox-bar.tsx';
import { InboxFilters } from './inbox-filters.tsx';
import { InboxList } from './inbox-list.tsx';
import { JobProgress } from './job-progress.tsx';
import { NoEntries } from './no-entries.tsx';
import { useInboxTexts } from './texts/use-inbox-texts.ts';
import { useInboxActions } from './use-inbox-actions.ts';
import { useRowKeys } from './use-row-keys.ts';

const route = getRouteApi('/app/inbox');

const filtersOf = ({ workflow, kind, q }: InboxSearch): Filters => ({
  ...(workflow ? { workflow_id: workflow } : {}),
  ...(kind ? { kind } : {}),
  ...(q ? { search: q } : {}),
});

function useEntries(search: InboxSearch) {
  const list = useInfiniteQuery(inboxQuery(filtersOf(search), search.dismissed === 'yes'));
  const entries = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { list, entries, onEnd };
}

/** Failures that ask for a person: what failed and why, to be run again or dismissed until nothing is left. */
export function InboxPage() {
  const nav = useTranslations('nav');
  const t = useInboxTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { list, entries, onEnd } = useEntries(search);
  const { dismiss, restore, replay, replayMany } = useInboxActions();
  const { selected, onSelect, clear } = useSelection();
  const dismissed = search.dismissed === 'yes';
  const ticked = entries.flatMap(({ execution_id: id }) => (selected.has(id) ? [id] : []));
  const moveAll = (ids: readonly string[]) => (dismissed ? restore(ids) : dismiss(ids));
  useRowKeys({ replay: (id) => void replay(id), move: (id) => moveAll([id]) }, dismissed);
  const { counts, counts_are_capped: isCapped } = list.data?.pages[0] ?? {};
  const total = counts ? counts.failed + counts.given_up : 0;
  const replayTicked = async (from: 'start' | 'failed') => {
    if (await replayMany({ execution_ids: ticked }, { from, count: ticked.length })) clear();
  };
  return (
    <Page
      fill
      title={nav('inbox')}
      badge={counts ? <Count value={total} /> : null}
      actions={
        total > 0 && !dismissed ? (
          <Button
            onClick={() => void replayMany({ filter: filtersOf(search) }, { from: 'start', count: total })}
          >
            <RotateCw aria-hidden />
            {t('replay_all')}
          </Button>
        ) : null
      }
      toolbar={<InboxFilters />}
    >
      <JobProgress />
      {list.data?.pages[0]?.older_not_searched || (isCapped && total > 0) ? (
        <p role="status" className="shrink-0 border-b border-line px-4 py-1.5 text-sm text-soft">
          {t('capped')}
        </p>
      ) : null}
      <div className="relative flex min-h-0 grow flex-col">
        {list.isPending ? (
          <SkeletonRows rows={14} />
        ) : list.isError ? (
          <LoadFailed error={list.error} onRetry={() => void list.refetch()} />
        ) : entries.length === 0 ? (
          <NoEntries />
        ) : (
          <InboxList
            entries={entries}
            selected={selected}
            onSelect={onSelect}
            onOpen={(id) => void navigate({ to: '/runs/$id', params: { id } })}
            onEnd={onEnd}
          />
        )}
        <InboxBar
          count={ticked.length}
          dismissed={dismissed}
          onReplay={(from) => void replayTicked(from)}
          onMove={() => {
            moveAll(ticked);
            clear();
          }}
          onDone={clear}
        />
      </div>
    </Page>
  );
}
