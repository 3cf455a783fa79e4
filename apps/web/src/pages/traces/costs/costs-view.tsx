import { getRouteApi } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { useFormatter, useLocale } from 'use-intl';
import { useTraceCosts } from '../../../data/traces.ts';
import { costText } from '../../../lib/cost-text.ts';
import { ANALYTICS_RANGES, COST_GROUPINGS, type TracesSearch } from '../../../search.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { EmptyState, LoadFailed } from '../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../ui/display/skeleton.tsx';
import { Segmented } from '../../../ui/forms/toggles.tsx';
import { WorkflowFilter } from '../../runs/list/workflow-filter.tsx';
import { useTracesTexts } from '../texts/use-traces-texts.ts';
import { CostCharts } from './cost-charts.tsx';
import { MOST_GROUPS } from './cost-parts.ts';

const route = getRouteApi('/app/traces');

function useChange() {
  const navigate = route.useNavigate();
  return (part: Partial<TracesSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
}

export function CostsFilters() {
  const t = useTracesTexts();
  const { range, by, workflow } = route.useSearch();
  const change = useChange();
  return (
    <>
      <Segmented
        label={t('range')}
        value={range ?? '7d'}
        onChange={(next) => change({ range: next })}
        choices={ANALYTICS_RANGES.map((value) => ({ value, label: t(`range_${value}`) }))}
      />
      <Segmented
        label={t('group_by')}
        value={by ?? 'workflow'}
        onChange={(next) => change({ by: next })}
        choices={COST_GROUPINGS.map((value) => ({ value, label: t(`by_${value}`) }))}
      />
      <WorkflowFilter value={workflow} onChange={(next) => change({ workflow: next })} />
    </>
  );
}

/** The cost of calls of models over time, by workflow, model or person. */
export function CostsView() {
  const t = useTracesTexts();
  const format = useFormatter();
  const locale = useLocale();
  const { range = '7d', by = 'workflow', workflow } = route.useSearch();
  const change = useChange();
  const costs = useTraceCosts({
    time_range: range,
    group_by: by,
    limit: MOST_GROUPS,
    ...(workflow ? { workflow_id: workflow } : {}),
  });
  if (costs.isPending) return <SkeletonRows rows={10} />;
  if (costs.isLoadingError) return <LoadFailed error={costs.error} onRetry={() => void costs.refetch()} />;
  const { total } = costs.data;
  if (total.calls === 0) {
    return (
      <EmptyState
        icon={<ChartColumn aria-hidden />}
        title={t('no_costs')}
        actions={
          range === 'all' ? null : <Button onClick={() => change({ range: 'all' })}>{t('all_time')}</Button>
        }
      >
        {t('no_costs_hint')}
      </EmptyState>
    );
  }
  const figures = [
    [t('cost'), costText(total.cost_usd, locale)],
    [t('calls'), format.number(total.calls)],
    [t('tokens_in'), format.number(total.prompt_tokens)],
    [t('tokens_out'), format.number(total.completion_tokens)],
  ];
  return (
    <div className="flex min-h-0 grow flex-col gap-7 overflow-y-auto px-4 py-5 sm:px-5">
      <dl className="grid grid-cols-2 gap-2.5 sm:grid-cols-4">
        {figures.map(([name, value]) => (
          <div key={name} className="min-w-0 rounded-m border border-line bg-surface px-3 py-2.5">
            <dt className="truncate text-sm text-soft">{name}</dt>
            <dd className="tabular mt-0.5 truncate text-lg font-semibold">{value}</dd>
          </div>
        ))}
      </dl>
      {total.unpriced_calls > 0 ? (
        <p className="text-sm text-soft">{t('unpriced', { count: total.unpriced_calls })}</p>
      ) : null}
      <CostCharts costs={costs.data} by={by} onWorkflow={(id) => change({ workflow: id, by: 'model' })} />
    </div>
  );
}
