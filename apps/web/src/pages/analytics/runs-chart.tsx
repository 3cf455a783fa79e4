import { clsx } from 'clsx';
import { type PointerEvent, useState } from 'react';
import { useFormatter } from 'use-intl';
import { type Bucket, bucketAt, dragged } from './buckets.ts';
import { useAnalyticsTexts } from './texts/use-analytics-texts.ts';

const HEIGHT = 100;
/** Width of a bucket in the drawing's own units, which stretch to the width of the page. */
const STEP = 10;

const PARTS = [
  { of: 'succeeded', fill: 'fill-success', dot: 'bg-success' },
  { of: 'failed', fill: 'fill-danger', dot: 'bg-danger' },
  { of: 'other', fill: 'fill-control-line', dot: 'bg-control-line' },
] as const;

interface ChartProps {
  buckets: readonly Bucket[];
  timeOf: (at: string) => string;
}

function Bar({ bucket, at, most }: { bucket: Bucket; at: number; most: number }) {
  let y = HEIGHT;
  return PARTS.map(({ of, fill }) => {
    const height = (bucket[of] / most) * HEIGHT;
    y -= height;
    if (height === 0) return null;
    return <rect key={of} className={fill} x={at * STEP + 1} y={y} width={STEP - 2} height={height} />;
  });
}

/** Where a drag is: first and last bucket. */
function useDrag(count: number, onZoom: (first: number, last: number) => void) {
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const place = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return bucketAt((event.clientX - left) / width, count);
  };
  return {
    selected: drag ? dragged(drag.from, drag.to) : undefined,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: place(event), to: place(event) });
      },
      onPointerMove: (event: PointerEvent) => {
        if (drag) setDrag({ ...drag, to: place(event) });
      },
      onPointerUp: (event: PointerEvent) => {
        if (!drag) return;
        const [first, last] = dragged(drag.from, place(event));
        setDrag(undefined);
        if (last > first) onZoom(first, last);
      },
      onPointerCancel: () => setDrag(undefined),
    },
  };
}

interface RunsChartProps extends ChartProps {
  onZoom: (first: number, last: number) => void;
}

/** Bars of runs by how they ended. Dragging over some of them zooms; for the keyboard the table has buttons. */
export function RunsChart({ buckets, timeOf, onZoom }: RunsChartProps) {
  const t = useAnalyticsTexts();
  const format = useFormatter();
  const { selected, handlers } = useDrag(buckets.length, onZoom);
  const most = Math.max(1, ...buckets.map(({ runs }) => runs));
  const sum = (of: 'runs' | 'failed') => buckets.reduce((total, bucket) => total + bucket[of], 0);
  const summary = t('over_time_summary', {
    runs: format.number(sum('runs')),
    failed: format.number(sum('failed')),
    count: buckets.length,
    from: timeOf(buckets[0]?.from ?? ''),
    to: timeOf(buckets.at(-1)?.to ?? ''),
  });
  return (
    <>
      <div className="flex gap-2">
        <Scale top={format.number(most)} />
        <svg
          role="img"
          aria-label={summary}
          data-chart="runs"
          viewBox={`0 0 ${buckets.length * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-44 min-w-0 grow cursor-crosshair touch-pan-y border-b border-line-strong select-none"
          {...handlers}
        >
          {selected ? (
            <rect
              className="fill-accent-tint"
              x={selected[0] * STEP}
              y={0}
              width={(selected[1] - selected[0] + 1) * STEP}
              height={HEIGHT}
            />
          ) : null}
          {buckets.map((bucket, at) => (
            <Bar key={bucket.from} bucket={bucket} at={at} most={most} />
          ))}
        </svg>
      </div>
      <Axis buckets={buckets} timeOf={timeOf} />
      <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
        {PARTS.map(({ of, dot }) => (
          <li
            key={of}
            className="flex items-center gap-1.5"
            title={of === 'other' ? t('other_hint') : undefined}
          >
            <span aria-hidden className={clsx('size-2.5 rounded-s', dot)} />
            {t(of)}
          </li>
        ))}
        <li className="text-faint max-sm:hidden">{t('zoom_hint')}</li>
      </ul>
    </>
  );
}

function Scale({ top }: { top: string }) {
  return (
    <div
      aria-hidden
      className="tabular flex w-14 shrink-0 flex-col justify-between text-right text-xs text-faint"
    >
      <span className="truncate">{top}</span>
      <span>0</span>
    </div>
  );
}

function Axis({ buckets, timeOf }: ChartProps) {
  return (
    <div aria-hidden className="tabular mt-1 flex justify-between gap-2 pl-16 text-xs text-faint">
      <span>{timeOf(buckets[0]?.from ?? '')}</span>
      <span>{timeOf(buckets.at(-1)?.to ?? '')}</span>
    </div>
  );
}

interface DurationsChartProps extends ChartProps {
  durationOf: (ms: number) => string;
}

/** Bars of average durations; none where no run was measured. */
export function DurationsChart({ buckets, timeOf, durationOf }: DurationsChartProps) {
  const t = useAnalyticsTexts();
  const known = buckets.flatMap(({ average_ms }) => (average_ms === null ? [] : [average_ms]));
  if (known.length === 0) return null;
  const most = Math.max(...known);
  const summary = t('durations_summary', {
    least: durationOf(Math.min(...known)),
    most: durationOf(most),
    from: timeOf(buckets[0]?.from ?? ''),
    to: timeOf(buckets.at(-1)?.to ?? ''),
  });
  return (
    <>
      <div className="flex gap-2">
        <Scale top={durationOf(most)} />
        <svg
          role="img"
          aria-label={summary}
          viewBox={`0 0 ${buckets.length * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-28 min-w-0 grow border-b border-line-strong"
        >
          {buckets.map(({ from, average_ms }, at) =>
            average_ms === null ? null : (
              <rect
                key={from}
                className="fill-accent"
                x={at * STEP + 1}
                y={HEIGHT - (average_ms / most) * HEIGHT}
                width={STEP - 2}
                height={(average_ms / most) * HEIGHT}
              />
            ),
          )}
        </svg>
      </div>
      <Axis buckets={buckets} timeOf={timeOf} />
    </>
  );
}
