import { getRouteApi, Link } from '@tanstack/react-router';
import { ChartColumn, List, ZoomOut } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useFormatter, useLocale } from 'use-intl';
import { type AnalyticsFilter, useRunMetrics, useRunStats, useWorkflowStats } from '../../data/analytics.ts';
import { ANALYTICS_RANGES, type AnalyticsSearch } from '../../search.ts';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { ChartPanel, type ChartView } from '../../ui/charts/chart-panel.tsx';
import { isByDay } from '../../ui/charts/time-buckets.ts';
import { useBucketTime } from '../../ui/charts/use-bucket-time.ts';
import { durationText } from '../../ui/display/duration.ts';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Segmented } from '../../ui/forms/toggles.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { WorkflowFilter } from '../runs/list/workflow-filter.tsx';
import { type Bucket, toBuckets } from './buckets.ts';
import { Figures } from './figures.tsx';
import { DurationsChart, RunsChart } from './runs-chart.tsx';
import { BucketTable, WorkflowTable } from './tables.tsx';
import { useAnalyticsTexts } from './texts/use-analytics-texts.ts';

const route = getRouteApi('/app/analytics');

function buildFilter({ range, from, to, workflow }: AnalyticsSearch): AnalyticsFilter {
  const whole = { time_range: range ?? '7d' };
  return { range: from && to ? { start_at: from, end_at: to } : whole, workflow_id: workflow };
}

function useChange() {
  const navigate = route.useNavigate();
  return (part: Partial<AnalyticsSearch>, replace = true) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace });
}

const ZOOMED = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;

function Toolbar() {
  const t = useAnalyticsTexts();
  const search = route.useSearch();
  const change = useChange();
  const format = useFormatter();
  const { from, to } = search;
  return (
    <>
      <Segmented
        label={t('range')}
        value={search.range ?? '7d'}
        onChange={(range) => change({ range, from: undefined, to: undefined })}
        choices={ANALYTICS_RANGES.map((value) => ({ value, label: t(`range_${value}`) }))}
      />
      <WorkflowFilter value={search.workflow} onChange={(workflow) => change({ workflow })} />
      {from && to ? (
        <>
          <span className="tabular text-sm text-soft">
            {format.dateTimeRange(new Date(from), new Date(to), ZOOMED)}
          </span>
          <Button onClick={() => change({ from: undefined, to: undefined })}>
            <ZoomOut aria-hidden />
            {t('reset')}
          </Button>
        </>
      ) : null}
    </>
  );
}

function OverTime({ filter }: { filter: AnalyticsFilter }) {
  const t = useAnalyticsTexts();
  const locale = useLocale();
  const change = useChange();
  const [view, setView] = useState<ChartView>('chart');
  const metrics = useRunMetrics(filter);
  const buckets = useMemo(() => (metrics.data ? toBuckets(metrics.data) : []), [metrics.data]);
  const formatTime = useBucketTime(isByDay(metrics.data?.time_buckets ?? []));
  const zoom = (first: Bucket | undefined, last: Bucket | undefined) => {
    if (first && last) change({ from: first.from, to: last.to }, false);
  };
  if (metrics.isLoadingError)
    return <LoadFailed error={metrics.error} onRetry={() => void metrics.refetch()} />;
  if (metrics.isPending) return <SkeletonRows rows={6} />;
  return (
    <>
      <ChartPanel title={t('over_time')} choice={{ view, onChange: setView }}>
        {view === 'chart' ? (
          <RunsChart
            buckets={buckets}
            formatTime={formatTime}
            onZoom={(first, last) => zoom(buckets[first], buckets[last])}
          />
        ) : (
          <BucketTable buckets={buckets} formatTime={formatTime} onZoom={(bucket) => zoom(bucket, bucket)} />
        )}
      </ChartPanel>
      {view === 'chart' ? (
        <ChartPanel title={t('durations')}>
          <DurationsChart
            buckets={buckets}
            formatTime={formatTime}
            formatDuration={(ms) => durationText(ms, locale)}
          />
        </ChartPanel>
      ) : null}
    </>
  );
}

function Workflows({ filter, sort }: { filter: AnalyticsFilter; sort: 'executions' | 'errors' }) {
  const t = useAnalyticsTexts();
  const search = route.useSearch();
  const list = useWorkflowStats(filter.range, sort);
  const title = sort === 'errors' ? t('failing') : t('busiest');
  return (
    <ChartPanel title={title}>
      {list.isPending ? (
        <SkeletonRows rows={4} />
      ) : list.isLoadingError ? (
        <LoadFailed error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data.items.length === 0 ? (
        <p className="text-soft">{sort === 'errors' ? t('none_failing') : t('none')}</p>
      ) : (
        <WorkflowTable label={title} items={list.data.items} search={search} />
      )}
    </ChartPanel>
  );
}

/** How often, how well and how fast workflows ran. */
export function AnalyticsPage() {
  const t = useAnalyticsTexts();
  const search = route.useSearch();
  const change = useChange();
  const filter = buildFilter(search);
  const stats = useRunStats(filter);
  const { workflow, from, to, range } = search;
  const span = from && to ? { from, to } : range === 'all' ? {} : { period: range ?? '7d' };
  return (
    <Page
      title={t('title')}
      toolbar={<Toolbar />}
      actions={
        <Link
          to="/runs"
          search={{ ...span, ...(workflow ? { workflow } : {}) }}
          className={buttonStyle({ tone: 'quiet' })}
        >
          <List aria-hidden />
          {t('see_runs')}
        </Link>
      }
    >
      {stats.isPending ? (
        <SkeletonRows rows={10} />
      ) : stats.isLoadingError ? (
        <LoadFailed error={stats.error} onRetry={() => void stats.refetch()} />
      ) : stats.data.total_executions === 0 ? (
        <EmptyState
          icon={<ChartColumn aria-hidden />}
          title={t('none')}
          actions={
            range === 'all' && !from ? null : (
              <Button onClick={() => change({ range: 'all', from: undefined, to: undefined })}>
                {t('all_time')}
              </Button>
            )
          }
        >
          {t('none_hint')}
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-7 px-4 py-5 sm:px-5">
          <Figures stats={stats.data} />
          <OverTime filter={filter} />
          {workflow ? null : (
            <div className="grid gap-7 xl:grid-cols-2">
              <Workflows filter={filter} sort="executions" />
              <Workflows filter={filter} sort="errors" />
            </div>
          )}
        </div>
      )}
    </Page>
  );
}
