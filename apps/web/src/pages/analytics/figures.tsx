import type { RunStats } from '@millrace/contracts';
import type { ReactNode } from 'react';
import { useFormatter } from 'use-intl';
import { Duration } from '../../ui/display/time.tsx';
import { useAnalyticsTexts } from './texts/use-analytics-texts.ts';
import { usePercent } from './use-percent.ts';

function Figure({ name, children, hint }: { name: string; children: ReactNode; hint?: string }) {
  return (
    <div className="min-w-0 rounded-m border border-line bg-surface px-3 py-2.5">
      <dt className="truncate text-sm text-soft">{name}</dt>
      <dd className="tabular mt-0.5 truncate text-lg font-semibold">{children}</dd>
      {hint ? <dd className="truncate text-xs text-faint">{hint}</dd> : null}
    </div>
  );
}

/** The totals of a time. */
export function Figures({ stats }: { stats: RunStats }) {
  const t = useAnalyticsTexts();
  const format = useFormatter();
  const percent = usePercent();
  const lastDay = (count: number) => t('last_day', { count: format.number(count) });
  return (
    <dl className="grid grid-cols-2 gap-2.5 sm:grid-cols-4">
      <Figure name={t('runs')} hint={lastDay(stats.total_24h)}>
        {format.number(stats.total_executions)}
      </Figure>
      <Figure name={t('succeeded')} hint={lastDay(stats.success_24h)}>
        {format.number(stats.success_count)}
      </Figure>
      <Figure name={t('failed')} hint={lastDay(stats.error_24h)}>
        {format.number(stats.error_count)}
      </Figure>
      <Figure name={t('success_rate')} hint={t('error_rate', { rate: percent(stats.error_rate) })}>
        {percent(stats.success_rate)}
      </Figure>
      <Figure name={t('average')}>
        <Duration ms={stats.avg_latency_ms} />
      </Figure>
      <Figure name={t('p50')}>
        <Duration ms={stats.p50_latency_ms} />
      </Figure>
      <Figure name={t('p95')}>
        <Duration ms={stats.p95_latency_ms} />
      </Figure>
      <Figure name={t('p99')}>
        <Duration ms={stats.p99_latency_ms} />
      </Figure>
    </dl>
  );
}
