import type { InboxEntry } from '@millrace/contracts';
import { getRouteApi } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { canBeSent, type InboxFilters as Filters, useInbox } from '../../data/inbox.ts';
import { useLoadMore } from '../../lib/use-load-more.ts';
import type { InboxSearch } from '../../search.ts';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { useSelection } from '../../ui/layout/use-selection.ts';
import { InboxBar } from './inbox-bar.tsx';
import { InboxFilters } from './inbox-filters.tsx';
import { InboxList, toLinkTarget } from './inbox-list.tsx';
import { InboxTabs } from './inbox-tabs.tsx';
import { JobProgress } from './job-progress.tsx';
import { NoEntries } from './no-entries.tsx';
import { useInboxTexts } from './texts/use-inbox-texts.ts';
import { useInboxActions } from './use-inbox-actions.ts';
import { useRowKeys } from './use-row-keys.ts';

const route = getRouteApi('/app/inbox');

const toScopeFilter = ({ workflow, q }: InboxSearch) => ({
  ...(workflow ? { workflow_id: workflow } : {}),
  ...(q ? { search: q } : {}),
});

const toFilters = (search: InboxSearch): Filters => ({
  ...toScopeFilter(search),
  ...(search.kind ? { kind: search.kind } : {}),
});

const listExecutionIds = (entries: readonly InboxEntry[]): string[] =>
  entries.map(({ execution_id }) => execution_id);

function useEntries(search: InboxSearch) {
  const list = useInbox(toFilters(search), search.dismissed === 'yes');
  const entries = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  return { list, entries, onEnd: useLoadMore(list) };
}

/** Failures that ask for a person: what failed and why, to be run again or dismissed until nothing is left. */
export function InboxPage() {
  const nav = useTranslations('nav');
  const t = useInboxTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { list, entries, onEnd } = useEntries(search);
  const { dismiss, restore, replay, replayMany, send, sendAll } = useInboxActions();
  const { selected, onSelect, clear } = useSelection();
  const dismissed = search.dismissed === 'yes';
  const tickedEntries = entries.filter(({ execution_id }) => selected.has(execution_id));
  const ticked = listExecutionIds(tickedEntries);
  const moveAll = (ids: readonly string[]) => (dismissed ? restore(ids) : dismiss(ids));
  const isRefused = (id: string) =>
    entries.some(({ execution_id, kind }) => execution_id === id && kind === 'refused');
  const again = (id: string) => (isRefused(id) ? send([id]) : void replay(id));
  useRowKeys({ replay: again, move: (id) => moveAll([id]) }, dismissed);
  const { counts, counts_are_capped: isCapped } = list.data?.pages[0] ?? {};
  const runs = counts ? counts.failed + counts.given_up : 0;
  const total = runs + (counts?.refused ?? 0);
  const replayTicked = async (from: 'start' | 'failed') => {
    const ofRuns = listExecutionIds(tickedEntries.filter(({ kind }) => kind !== 'refused'));
    const deliveries = listExecutionIds(tickedEntries.filter(({ kind }) => kind === 'refused'));
    if (deliveries.length > 0 && from === 'start') send(deliveries);
    if (ofRuns.length === 0 || (await replayMany({ execution_ids: ofRuns }, { from, count: ofRuns.length })))
      clear();
  };
  const { kind } = search;
  const replayAll = () =>
    kind === 'refused'
      ? void sendAll(toScopeFilter(search))
      : void replayMany(
          { filter: { ...toScopeFilter(search), ...(kind ? { kind } : {}) } },
          { from: 'start', count: runs },
        );
  return (
    <Page
      fill
      title={nav('inbox')}
      badge={<InboxTabs {...(counts ? { failures: total } : {})} />}
      actions={
        (kind === 'refused' ? entries.some(canBeSent) : runs > 0) && !dismissed ? (
          <Button onClick={replayAll}>
            <RotateCw aria-hidden />
            {t(kind === 'refused' ? 'send_all' : 'replay_all')}
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
        ) : list.isLoadingError ? (
          <LoadFailed error={list.error} onRetry={() => void list.refetch()} />
        ) : entries.length === 0 ? (
          <NoEntries />
        ) : (
          <InboxList
            entries={entries}
            selected={selected}
            onSelect={onSelect}
            onOpen={(entry) => void navigate(toLinkTarget(entry))}
            onEnd={onEnd}
          />
        )}
        <InboxBar
          count={ticked.length}
          dismissed={dismissed}
          hasRuns={tickedEntries.some(({ kind }) => kind !== 'refused')}
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
