import type { CostGrouping, TraceCosts } from '@millrace/contracts';
import { useMemo, useState } from 'react';
import { useFormatter, useLocale } from 'use-intl';
import { costText } from '../../../lib/cost-text.ts';
import { ChartPanel, type ChartView } from '../../../ui/charts/chart-panel.tsx';
import { BarLegend, StackedBars } from '../../../ui/charts/stacked-bars.tsx';
import { isByDay } from '../../../ui/charts/time-buckets.ts';
import { useBucketTime } from '../../../ui/charts/use-bucket-time.ts';
import { useTracesTexts } from '../texts/use-traces-texts.ts';
import { toBarParts, toCostBuckets, toCostGroups } from './cost-parts.ts';
import { CostTable, GroupTable } from './cost-tables.tsx';

interface CostChartsProps {
  costs: TraceCosts;
  by: CostGrouping;
  onWorkflow: (id: string) => void;
}

/** Cost and tokens over time, and what each group took. */
export function CostCharts({ costs, by, onWorkflow }: CostChartsProps) {
  const t = useTracesTexts();
  const locale = useLocale();
  const format = useFormatter();
  const [view, setView] = useState<ChartView>('chart');
  const [rest, outside] = [t('rest'), t('outside')];
  const groups = useMemo(() => toCostGroups(costs, by, { rest, outside }), [costs, by, rest, outside]);
  const buckets = useMemo(() => toCostBuckets(costs), [costs]);
  const formatTime = useBucketTime(isByDay(costs.time_buckets));
  const from = formatTime(buckets[0]?.from ?? '');
  const to = formatTime(buckets.at(-1)?.to ?? '');
  const { cost_usd, prompt_tokens, completion_tokens } = costs.total;
  const money = (usd: number) => costText(usd, locale);
  const number = (count: number) => format.number(count);
  const shared = { buckets, formatTime, height: 'h-40' };
  return (
    <>
      <ChartPanel title={t('costs_over_time')} choice={{ view, onChange: setView }}>
        {view === 'table' ? (
          <CostTable buckets={buckets} formatTime={formatTime} />
        ) : cost_usd === 0 ? (
          <p className="text-soft">{t('nothing_priced')}</p>
        ) : (
          <StackedBars
            {...shared}
            name="cost"
            parts={toBarParts(groups, 'costs_usd')}
            summary={t('cost_summary', { cost: money(cost_usd), from, to })}
            formatValue={money}
          />
        )}
      </ChartPanel>
      {view === 'chart' ? (
        <ChartPanel title={t('tokens_over_time')}>
          <StackedBars
            {...shared}
            name="tokens"
            parts={toBarParts(groups, 'tokens')}
            summary={t('tokens_summary', { tokens: number(prompt_tokens + completion_tokens), from, to })}
            formatValue={number}
          />
          <BarLegend parts={toBarParts(groups, 'tokens')} />
        </ChartPanel>
      ) : null}
      <ChartPanel title={t(`by_${by}_title`)}>
        <GroupTable label={t(`by_${by}`)} groups={groups} onWorkflow={onWorkflow} />
      </ChartPanel>
    </>
  );
}
