import { clsx } from 'clsx';
import { type PointerEvent, type ReactNode, useState } from 'react';
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

/** The bucket below the pointer, while no finger scrolls the page. */
function useHovered(count: number) {
  const [hovered, setHovered] = useState<number>();
  return {
    hovered: hovered !== undefined && hovered < count ? hovered : undefined,
    hover: {
      onPointerMove: (event: PointerEvent) => {
        const { left, width } = event.currentTarget.getBoundingClientRect();
        setHovered(bucketAt((event.clientX - left) / width, count));
      },
      onPointerLeave: () => setHovered(undefined),
    },
  };
}

interface ReadingProps extends ChartProps {
  at: number;
  children: ReactNode;
}

/** What the bucket below the pointer stands for, beside it. The table has the same for those without a pointer. */
function Reading({ buckets, at, timeOf, children }: ReadingProps) {
  const bucket = buckets[at];
  if (!bucket) return null;
  const share = (at + 0.5) / buckets.length;
  return (
    <div
      aria-hidden
      className="tabular pointer-events-none absolute top-0 z-10 rounded-m border border-line-strong bg-raised px-2.5 py-1.5 text-sm whitespace-nowrap shadow-m"
      style={
        share < 0.5
          ? { left: `calc(${share * 100}% + 16px)` }
          : { right: `calc(${(1 - share) * 100}% + 16px)` }
      }
    >
      <p className="font-medium">
        {timeOf(bucket.from)} – {timeOf(bucket.to)}
      </p>
      {children}
    </div>
  );
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
  const { hovered, hover } = useHovered(buckets.length);
  const read = selected || hovered === undefined ? undefined : buckets[hovered];
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
        <div className="relative min-w-0 grow" {...hover}>
          <svg
            role="img"
            aria-label={summary}
            data-chart="runs"
            viewBox={`0 0 ${buckets.length * STEP} ${HEIGHT}`}
            preserveAspectRatio="none"
            className="h-44 w-full cursor-crosshair touch-pan-y border-b border-line-strong select-none"
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
            {read ? (
              <rect className="fill-hover" x={(hovered ?? 0) * STEP} y={0} width={STEP} height={HEIGHT} />
            ) : null}
            {buckets.map((bucket, at) => (
              <Bar key={bucket.from} bucket={bucket} at={at} most={most} />
            ))}
          </svg>
          {read && hovered !== undefined ? (
            <Reading buckets={buckets} at={hovered} timeOf={timeOf}>
              {PARTS.map(({ of, dot }) => (
                <p key={of} className="flex items-center gap-1.5 text-soft">
                  <span className={clsx('size-2.5 rounded-s', dot)} />
                  {t(of)}
                  <span className="ml-auto pl-4 text-text">{format.number(read[of])}</span>
                </p>
              ))}
            </Reading>
          ) : null}
        </div>
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

/** Buckets whose starts are named between the two ends: at a quarter, the middle and three quarters. */
const marksOf = (buckets: readonly Bucket[]): number[] =>
  buckets.length < 8 ? [] : [1, 2, 3].map((quarter) => Math.round((buckets.length * quarter) / 4));

function Axis({ buckets, timeOf }: ChartProps) {
  return (
    <div aria-hidden className="tabular mt-1 flex gap-2 text-xs text-faint">
      <span className="w-14 shrink-0" />
      <div className="relative flex h-4 grow justify-between gap-2">
        <span>{timeOf(buckets[0]?.from ?? '')}</span>
        {marksOf(buckets).map((at) => (
          <span
            key={at}
            className="absolute -translate-x-1/2 max-lg:hidden"
            style={{ left: `${(at / buckets.length) * 100}%` }}
          >
            {timeOf(buckets[at]?.from ?? '')}
          </span>
        ))}
        <span>{timeOf(buckets.at(-1)?.to ?? '')}</span>
      </div>
    </div>
  );
}

interface DurationsChartProps extends ChartProps {
  durationOf: (ms: number) => string;
}

/** Bars of average durations; none where no run was measured. */
export function DurationsChart({ buckets, timeOf, durationOf }: DurationsChartProps) {
  const t = useAnalyticsTexts();
  const { hovered, hover } = useHovered(buckets.length);
  const known = buckets.flatMap(({ average_ms }) => (average_ms === null ? [] : [average_ms]));
  if (known.length === 0) return null;
  const most = Math.max(...known);
  const average = hovered === undefined ? null : (buckets[hovered]?.average_ms ?? null);
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
        <div className="relative min-w-0 grow" {...hover}>
          <svg
            role="img"
            aria-label={summary}
            viewBox={`0 0 ${buckets.length * STEP} ${HEIGHT}`}
            preserveAspectRatio="none"
            className="h-28 w-full border-b border-line-strong"
          >
            {hovered === undefined ? null : (
              <rect className="fill-hover" x={hovered * STEP} y={0} width={STEP} height={HEIGHT} />
            )}
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
          {hovered === undefined ? null : (
            <Reading buckets={buckets} at={hovered} timeOf={timeOf}>
              <p className="text-soft">{average === null ? '–' : durationOf(average)}</p>
            </Reading>
          )}
        </div>
      </div>
      <Axis buckets={buckets} timeOf={timeOf} />
    </>
  );
}
