import type { HistoryList } from '@millrace/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Activity, ChartColumn, Maximize2, Square } from 'lucide-react';
import { useMemo } from 'react';
import { useActiveRuns } from '../../data/active-runs.ts';
import { isOpen, runListQuery, useCancelRuns } from '../../data/runs.ts';
import { useLoadMore } from '../../lib/use-load-more.ts';
import { useIsWide } from '../../lib/use-media.ts';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Count } from '../../ui/display/status-chip.tsx';
import { DetailPane } from '../../ui/layout/detail-pane.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { useSelection } from '../../ui/layout/use-selection.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { DeleteRunsButton } from './list/delete-runs-button.tsx';
import { hasFilters, pageSearch, toFilters } from './list/filters.ts';
import { RunList } from './list/run-list.tsx';
import { RunsFilters } from './list/runs-filters.tsx';
import { SelectionBar } from './list/selection-bar.tsx';
import { RunDetail } from './run-detail.tsx';
import { useRunsTexts } from './texts/use-runs-texts.ts';

const route = getRouteApi('/app/runs');

/** Says what a search left out, so that no result is not taken for proof that there is nothing. */
function SearchGaps({ gaps }: { gaps: HistoryList['not_searched'] }) {
  const t = useRunsTexts();
  if (gaps.length === 0) return null;
  return (
    <p role="status" className="shrink-0 border-b border-line px-4 py-1.5 text-sm text-soft">
      {gaps.map((gap) => t(`not_searched_${gap}`)).join(' ')}
    </p>
  );
}

function useStopAll() {
  const t = useRunsTexts();
  const active = useActiveRuns().data ?? [];
  const cancel = useCancelRuns();
  const stop = async () => {
    const runs = active.map((run) => ({ id: run.execution_id, workflow_id: run.workflow_id }));
    const sure = await confirm({
      title: t('stop_all_title', { count: runs.length }),
      body: t('stop_all_body'),
      action: t('stop_all', { count: runs.length }),
    });
    if (!sure) return;
    const { stopped } = await cancel.mutateAsync(runs);
    toast.done(t('stopped', { count: stopped }));
  };
  return { count: active.length, stop: () => void stop(), busy: cancel.isPending };
}

function HeaderActions({ list }: { list: HistoryList | undefined }) {
  const t = useRunsTexts();
  const { workflow } = route.useSearch();
  const all = useStopAll();
  return (
    <>
      {all.count > 0 ? (
        <Button onClick={all.stop} busy={all.busy}>
          <Square aria-hidden />
          {t('stop_all', { count: all.count })}
        </Button>
      ) : null}
      <Link to="/analytics" search={workflow ? { workflow } : {}} className={buttonStyle({ tone: 'quiet' })}>
        <ChartColumn aria-hidden />
        {t('analytics')}
      </Link>
      <DeleteRunsButton list={list} />
    </>
  );
}

/** All runs of all workflows: filters in the address, live, details beside the list. */
export function RunsPage() {
  const t = useRunsTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { filters, span } = toFilters(search);
  const list = useInfiniteQuery(runListQuery(filters, span));
  const runs = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const { selected, onSelect, clear } = useSelection();
  const onEnd = useLoadMore(list);
  const open = (run: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, run }), replace: search.run !== undefined });
  const first = list.data?.pages[0];
  const wide = useIsWide();
  const toPage = useMemo(() => pageSearch(search), [search]);

  return (
    <Page
      fill
      title={t('title')}
      badge={first ? <Count value={first.total} /> : null}
      actions={<HeaderActions list={first} />}
      toolbar={<RunsFilters />}
    >
      <div className="flex min-h-0 grow">
        <div className="relative flex min-w-0 grow flex-col">
          <SearchGaps gaps={list.data?.pages.at(-1)?.not_searched ?? []} />
          {list.isPending ? (
            <SkeletonRows rows={14} />
          ) : list.isLoadingError ? (
            <LoadFailed error={list.error} onRetry={() => void list.refetch()} />
          ) : runs.length === 0 ? (
            <NoRuns filtered={hasFilters(search)} />
          ) : (
            <RunList
              runs={runs}
              search={toPage}
              activeId={search.run}
              compact={wide && search.run !== undefined}
              selected={selected}
              onSelect={onSelect}
              onOpen={open}
              onEnd={onEnd}
            />
          )}
          <SelectionBar
            runs={runs.filter((run) => selected.has(run.id))}
            open={runs.filter((run) => selected.has(run.id) && isOpen(run.status))}
            onDone={clear}
          />
        </div>
        {search.run ? <Details id={search.run} onClose={() => open(undefined)} /> : null}
      </div>
    </Page>
  );
}

function NoRuns({ filtered }: { filtered: boolean }) {
  const t = useRunsTexts();
  const navigate = route.useNavigate();
  if (filtered) {
    return (
      <EmptyState
        icon={<Activity aria-hidden />}
        title={t('none_match')}
        actions={
          <Button onClick={() => void navigate({ search: {}, replace: true })}>{t('clear_filters')}</Button>
        }
      >
        {t('none_match_hint')}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<Activity aria-hidden />} title={t('none')}>
      {t('none_hint')}
    </EmptyState>
  );
}

function Details({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useRunsTexts();
  const navigate = route.useNavigate();
  const search = pageSearch(route.useSearch());
  const full = () => void navigate({ to: '/runs/$id', params: { id }, search });
  const enlarge = (
    <IconButton label={t('open_page')} icon={<Maximize2 aria-hidden />} onClick={full} size="small" />
  );
  return (
    <DetailPane title={t('details')} id={id} actions={enlarge} onClose={onClose}>
      <RunDetail key={id} id={id} />
    </DetailPane>
  );
}
