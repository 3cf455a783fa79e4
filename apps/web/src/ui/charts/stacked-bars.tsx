import { clsx } from 'clsx';
import { type PointerEvent, type ReactNode, useState } from 'react';
import type { TimeBucket } from './time-buckets.ts';

const HEIGHT = 100;
/** Width of a bucket in the drawing's own units, which stretch to the width of the page. */
const STEP = 10;

/** A part that is stacked in each bar. */
export interface BarPart {
  readonly key: string;
  readonly label: string;
  /** Classes that fill a shape of a drawing, and the background of a dot. */
  readonly fill: string;
  readonly dot: string;
  /** One for each bucket; null: not known. */
  readonly values: readonly (number | null)[];
  /** Text that the legend shows on hovering. */
  readonly hint?: string;
}

/** Share of a place between 0 (left edge) and 1 (right edge), as the number of the bucket there. */
export const bucketAt = (share: number, count: number): number =>
  Math.min(count - 1, Math.max(0, Math.floor(share * count)));

/** First and last bucket of a drag, in order. */
export function dragged(one: number, other: number): [number, number] {
  return one < other ? [one, other] : [other, one];
}

const locateBucket = (event: PointerEvent, count: number): number => {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  return bucketAt((event.clientX - left) / width, count);
};

/** The bucket below the pointer, while no finger scrolls the page. */
function useHovered(count: number) {
  const [hovered, setHovered] = useState<number>();
  return {
    hovered: hovered !== undefined && hovered < count ? hovered : undefined,
    hover: {
      onPointerMove: (event: PointerEvent) => setHovered(locateBucket(event, count)),
      onPointerLeave: () => setHovered(undefined),
    },
  };
}

/** Where a drag is: first and last bucket. */
function useDrag(count: number, onZoom: ((first: number, last: number) => void) | undefined) {
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  if (!onZoom) return { selected: undefined, handlers: {} };
  return {
    selected: drag ? dragged(drag.from, drag.to) : undefined,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: locateBucket(event, count), to: locateBucket(event, count) });
      },
      onPointerMove: (event: PointerEvent) => {
        if (drag) setDrag({ ...drag, to: locateBucket(event, count) });
      },
      onPointerUp: (event: PointerEvent) => {
        if (!drag) return;
        const [first, last] = dragged(drag.from, locateBucket(event, count));
        setDrag(undefined);
        if (last > first) onZoom(first, last);
      },
      onPointerCancel: () => setDrag(undefined),
    },
  };
}

interface StackedBarsProps {
  buckets: readonly TimeBucket[];
  parts: readonly BarPart[];
  /** Stands for the chart where it cannot be seen. */
  summary: string;
  formatTime: (at: string) => string;
  formatValue: (value: number) => string;
  /** Class of the height. */
  height: string;
  /** Smallest top of the scale. */
  least?: number;
  /** Dragging over some bars calls it with the first and the last one. */
  onZoom?: (first: number, last: number) => void;
  name?: string;
}

/** Bars over time. A table beside it must have the same for those without a pointer. */
export function StackedBars(props: StackedBarsProps) {
  const { buckets, parts, summary, formatTime, formatValue, height, least = 0, onZoom, name } = props;
  const { selected, handlers } = useDrag(buckets.length, onZoom);
  const { hovered, hover } = useHovered(buckets.length);
  const read = selected ? undefined : hovered;
  const tops = buckets.map((_, at) => parts.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  // Without any value all bars are empty, and their scale must not divide by zero.
  const most = Math.max(least, ...tops) || 1;
  return (
    <>
      <div className="flex gap-2">
        <Scale top={formatValue(most)} />
        <div className="relative min-w-0 grow" {...hover}>
          <svg
            role="img"
            aria-label={summary}
            data-chart={name}
            viewBox={`0 0 ${buckets.length * STEP} ${HEIGHT}`}
            preserveAspectRatio="none"
            className={clsx(
              'w-full border-b border-line-strong',
              height,
              onZoom && 'cursor-crosshair touch-pan-y select-none',
            )}
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
            {read === undefined ? null : (
              <rect className="fill-hover" x={read * STEP} y={0} width={STEP} height={HEIGHT} />
            )}
            {buckets.map(({ from }, at) => (
              <Bar key={from} parts={parts} at={at} most={most} />
            ))}
          </svg>
          {read === undefined ? null : (
            <Reading buckets={buckets} at={read} formatTime={formatTime}>
              {parts.map((part) => (
                <PartReading
                  key={part.key}
                  part={part}
                  at={read}
                  formatValue={formatValue}
                  alone={parts.length === 1}
                />
              ))}
            </Reading>
          )}
        </div>
      </div>
      <Axis buckets={buckets} formatTime={formatTime} />
    </>
  );
}

function Bar({ parts, at, most }: { parts: readonly BarPart[]; at: number; most: number }) {
  let y = HEIGHT;
  return parts.map(({ key, fill, values }) => {
    const height = ((values[at] ?? 0) / most) * HEIGHT;
    y -= height;
    if (height === 0) return null;
    return <rect key={key} className={fill} x={at * STEP + 1} y={y} width={STEP - 2} height={height} />;
  });
}

interface PartReadingProps {
  part: BarPart;
  at: number;
  formatValue: (value: number) => string;
  /** It needs no label. */
  alone: boolean;
}

function PartReading({ part: { label, dot, values }, at, formatValue, alone }: PartReadingProps) {
  const value = values[at] ?? null;
  const text = value === null ? '–' : formatValue(value);
  if (alone) return <p className="text-soft">{text}</p>;
  return (
    <p className="flex items-center gap-1.5 text-soft">
      <span className={clsx('size-2.5 shrink-0 rounded-s', dot)} />
      <span className="max-w-40 truncate">{label}</span>
      <span className="ml-auto pl-4 text-text">{text}</span>
    </p>
  );
}

interface ReadingProps {
  buckets: readonly TimeBucket[];
  at: number;
  formatTime: (at: string) => string;
  children: ReactNode;
}

/** The meaning of the bucket below the pointer, beside it. */
function Reading({ buckets, at, formatTime, children }: ReadingProps) {
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
        {formatTime(bucket.from)} – {formatTime(bucket.to)}
      </p>
      {children}
    </div>
  );
}

function Scale({ top }: { top: string }) {
  return (
    <div
      aria-hidden
      className="tabular flex w-16 shrink-0 flex-col justify-between text-right text-xs text-faint"
    >
      <span className="truncate">{top}</span>
      <span>0</span>
    </div>
  );
}

/** Buckets whose starts are named between the two ends: at a quarter, the middle and three quarters. */
const pickMarks = (buckets: readonly TimeBucket[]): number[] =>
  buckets.length < 8 ? [] : [1, 2, 3].map((quarter) => Math.round((buckets.length * quarter) / 4));

function Axis({
  buckets,
  formatTime,
}: {
  buckets: readonly TimeBucket[];
  formatTime: (at: string) => string;
}) {
  return (
    <div aria-hidden className="tabular mt-1 flex gap-2 text-xs text-faint">
      <span className="w-16 shrink-0" />
      <div className="relative flex h-4 grow justify-between gap-2">
        <span>{formatTime(buckets[0]?.from ?? '')}</span>
        {pickMarks(buckets).map((at) => (
          <span
            key={at}
            className="absolute -translate-x-1/2 max-lg:hidden"
            style={{ left: `${(at / buckets.length) * 100}%` }}
          >
            {formatTime(buckets[at]?.from ?? '')}
          </span>
        ))}
        <span>{formatTime(buckets.at(-1)?.to ?? '')}</span>
      </div>
    </div>
  );
}

/** The meaning of the colours of the parts. */
export function BarLegend({ parts, children }: { parts: readonly BarPart[]; children?: ReactNode }) {
  return (
    <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
      {parts.map(({ key, label, dot, hint }) => (
        <li key={key} className="flex min-w-0 items-center gap-1.5" title={hint}>
          <span aria-hidden className={clsx('size-2.5 shrink-0 rounded-s', dot)} />
          <span className="truncate">{label}</span>
        </li>
      ))}
      {children}
    </ul>
  );
}
