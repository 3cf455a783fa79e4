import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ChevronDown, ChevronUp, Trash2, Waypoints } from 'lucide-react';
import { Suspense, useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { type TraceFilters, traceListQuery, useDeleteTraces } from '../../data/traces.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { useLoadMore } from '../../lib/use-load-more.ts';
import type { TracesSearch } from '../../search.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Count } from '../../ui/display/status-chip.tsx';
import { Segmented } from '../../ui/forms/toggles.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { Sheet } from '../../ui/overlays/dialog.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { useTracesTexts } from './texts/use-traces-texts.ts';
import { TraceDetail } from './trace-detail.tsx';
import { TraceList } from './trace-list.tsx';
import { TracesFilters } from './traces-filters.tsx';

const route = getRouteApi('/app/traces');

const loadCosts = () => import('./costs/costs-view.tsx');
const CostsFilters = lazy(() => loadCosts().then((module) => ({ default: module.CostsFilters })));
const CostsView = lazy(() => loadCosts().then((module) => ({ default: module.CostsView })));

const toFilters = ({ workflow, credential, run, source, status, q, order }: TracesSearch): TraceFilters => ({
  ...(workflow ? { workflow_id: workflow } : {}),
  ...(credential ? { credential_id: credential } : {}),
  ...(run ? { run_id: run } : {}),
  ...(source ? { source } : {}),
  ...(status ? { status } : {}),
  ...(q ? { search: q } : {}),
  ...(order ? { order } : {}),
});

/** Calls of models, one by one or what they cost over time. */
export function TracesPage() {
  const nav = useTranslations('nav');
  const { view } = route.useSearch();
  if (view !== 'costs') return <Calls />;
  return (
    <Page
      fill
      title={nav('traces')}
      actions={<ViewChoice />}
      toolbar={
        <Suspense>
          <CostsFilters />
        </Suspense>
      }
    >
      <Suspense fallback={<SkeletonRows rows={10} />}>
        <CostsView />
      </Suspense>
    </Page>
  );
}

function ViewChoice() {
  const t = useTracesTexts();
  const { view } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Segmented
      label={t('view')}
      value={view ?? 'calls'}
      onChange={(next) =>
        void navigate({
          search: ({ workflow }) => ({ workflow, view: next === 'costs' ? next : undefined }),
        })
      }
      choices={[
        { value: 'calls', label: t('calls') },
        { value: 'costs', label: t('costs') },
      ]}
    />
  );
}

/** Shows what was asked and answered, what it took, and by which run. */
function Calls() {
  const nav = useTranslations('nav');
  const t = useTracesTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(traceListQuery(toFilters(search)));
  const traces = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const onEnd = useLoadMore(list);
  const open = (trace: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, trace }), replace: search.trace !== undefined });
  const total = list.data?.pages[0]?.total;
  const at = traces.findIndex(({ id }) => id === search.trace);
  const shown = traces[at];
  return (
    <Page
      fill
      title={nav('traces')}
      badge={total === undefined ? null : <Count value={total} />}
      actions={
        <>
          <ViewChoice />
          <DeleteAll />
        </>
      }
      toolbar={<TracesFilters />}
    >
      {list.isPending ? (
        <SkeletonRows rows={14} />
      ) : list.isLoadingError ? (
        <LoadFailed error={list.error} onRetry={() => void list.refetch()} />
      ) : traces.length === 0 ? (
        <NoTraces />
      ) : (
        <TraceList traces={traces} activeId={search.trace} onOpen={open} onEnd={onEnd} />
      )}
      <Sheet
        open={search.trace !== undefined}
        onOpenChange={() => open(undefined)}
        title={shown?.model ?? t('details')}
        width="large"
        actions={
          <>
            <IconButton
              label={t('previous')}
              icon={<ChevronUp aria-hidden />}
              tooltip={false}
              disabled={at <= 0}
              onClick={() => open(traces[at - 1]?.id)}
            />
            <IconButton
              label={t('next')}
              icon={<ChevronDown aria-hidden />}
              tooltip={false}
              disabled={at < 0 || at === traces.length - 1}
              onClick={() => open(traces[at + 1]?.id)}
            />
          </>
        }
      >
        {search.trace ? <TraceDetail id={search.trace} /> : null}
      </Sheet>
    </Page>
  );
}

function DeleteAll() {
  const t = useTracesTexts();
  const remove = useDeleteTraces();
  const ask = async () => {
    const sure = await confirm({
      title: t('delete_title'),
      body: t('delete_body'),
      action: t('delete_action'),
      tone: 'danger',
    });
    if (!sure) return;
    await remove.mutateAsync().then(() => toast.done(t('deleted')), showFailure);
  };
  return <IconButton label={t('delete_all')} icon={<Trash2 aria-hidden />} onClick={() => void ask()} />;
}

function NoTraces() {
  const t = useTracesTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  if (Object.keys(toFilters({ ...search, order: undefined })).length === 0) {
    return (
      <EmptyState icon={<Waypoints aria-hidden />} title={t('none')}>
        {t('none_hint')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Waypoints aria-hidden />}
      title={t('none_match')}
      actions={
        <Button onClick={() => void navigate({ search: {}, replace: true })}>{t('clear_filters')}</Button>
      }
    >
      {search.q ? t('none_match_hint') : null}
    </EmptyState>
  );
}
