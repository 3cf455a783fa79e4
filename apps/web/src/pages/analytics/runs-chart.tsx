import { useFormatter } from 'use-intl';
import { BarLegend, type BarPart, StackedBars } from '../../ui/charts/stacked-bars.tsx';
import type { Bucket } from './buckets.ts';
import { useAnalyticsTexts } from './texts/use-analytics-texts.ts';

const PARTS = [
  { of: 'succeeded', fill: 'fill-success', dot: 'bg-success' },
  { of: 'failed', fill: 'fill-danger', dot: 'bg-danger' },
  { of: 'other', fill: 'fill-control-line', dot: 'bg-control-line' },
] as const;

interface ChartProps {
  buckets: readonly Bucket[];
  formatTime: (at: string) => string;
}

interface RunsChartProps extends ChartProps {
  onZoom: (first: number, last: number) => void;
}

/** Bars of runs by how they ended. Dragging over some of them zooms; for the keyboard the table has buttons. */
export function RunsChart({ buckets, formatTime, onZoom }: RunsChartProps) {
  const t = useAnalyticsTexts();
  const format = useFormatter();
  const sum = (of: 'runs' | 'failed') => buckets.reduce((total, bucket) => total + bucket[of], 0);
  const summary = t('over_time_summary', {
    runs: format.number(sum('runs')),
    failed: format.number(sum('failed')),
    count: buckets.length,
    from: formatTime(buckets[0]?.from ?? ''),
    to: formatTime(buckets.at(-1)?.to ?? ''),
  });
  const parts = PARTS.map(
    ({ of, fill, dot }): BarPart => ({
      key: of,
      label: t(of),
      fill,
      dot,
      values: buckets.map((bucket) => bucket[of]),
      ...(of === 'other' ? { hint: t('other_hint') } : {}),
    }),
  );
  return (
    <>
      <StackedBars
        name="runs"
        buckets={buckets}
        parts={parts}
        summary={summary}
        formatTime={formatTime}
        formatValue={(value) => format.number(value)}
        height="h-44"
        least={1}
        onZoom={onZoom}
      />
      <BarLegend parts={parts}>
        <li className="text-faint max-sm:hidden">{t('zoom_hint')}</li>
      </BarLegend>
    </>
  );
}

interface DurationsChartProps extends ChartProps {
  formatDuration: (ms: number) => string;
}

/** Bars of average durations; none where no run was measured. */
export function DurationsChart({ buckets, formatTime, formatDuration }: DurationsChartProps) {
  const t = useAnalyticsTexts();
  const known = buckets.flatMap(({ average_ms }) => (average_ms === null ? [] : [average_ms]));
  if (known.length === 0) return null;
  const summary = t('durations_summary', {
    least: formatDuration(Math.min(...known)),
    most: formatDuration(Math.max(...known)),
    from: formatTime(buckets[0]?.from ?? ''),
    to: formatTime(buckets.at(-1)?.to ?? ''),
  });
  const part: BarPart = {
    key: 'average',
    label: t('average'),
    fill: 'fill-accent',
    dot: 'bg-accent',
    values: buckets.map(({ average_ms }) => average_ms),
  };
  return (
    <StackedBars
      buckets={buckets}
      parts={[part]}
      summary={summary}
      formatTime={formatTime}
      formatValue={formatDuration}
      height="h-28"
    />
  );
}
