import type { BucketSize, TimeRange } from '@millrace/contracts';
import { DAY_MS, HOUR_MS } from '@millrace/engine/units';
import { invalidField } from '../../core/app-error.ts';
import { floorToHour } from '../../execution/store/analytics/run-ends.ts';

/** Whole hours, as epoch milliseconds; the end is not part of it. */
export interface HourRange {
  readonly start_ms: number;
  readonly end_ms: number;
}

/** More would be megabytes of answer. */
const MOST_BUCKETS = 20_000;

const RANGE_HOURS: Readonly<Record<Exclude<TimeRange, 'all'>, number>> = { '24h': 24, '7d': 168, '30d': 720 };
const BUCKET_MS: Readonly<Record<BucketSize, number>> = { '1h': HOUR_MS, '6h': 6 * HOUR_MS, '1d': DAY_MS };

export interface RangeQuery {
  readonly time_range: TimeRange;
  readonly start_at?: string | undefined;
  readonly end_at?: string | undefined;
}

/** The current hour and those before it. */
export function latest(range: Exclude<TimeRange, 'all'>, now_ms: number): HourRange {
  const end_ms = floorToHour(now_ms) + HOUR_MS;
  return { start_ms: end_ms - RANGE_HOURS[range] * HOUR_MS, end_ms };
}

/**
 * The range of a query in whole hours.
 *
 * @param firstHour when the first run began, called only for the range `all`
 */
export async function resolveHourRange(
  { time_range, start_at, end_at }: RangeQuery,
  { now_ms, firstHour }: { now_ms: number; firstHour: () => Promise<number | undefined> },
): Promise<HourRange> {
  if (start_at !== undefined && end_at !== undefined) {
    const end_ms = Math.ceil(Date.parse(end_at) / HOUR_MS) * HOUR_MS;
    return { start_ms: floorToHour(Date.parse(start_at)), end_ms };
  }
  if (time_range !== 'all') return latest(time_range, now_ms);
  const end_ms = floorToHour(now_ms) + HOUR_MS;
  return { start_ms: Math.min((await firstHour()) ?? end_ms - DAY_MS, end_ms - HOUR_MS), end_ms };
}

function fittingSize({ start_ms, end_ms }: HourRange): number {
  const days = (end_ms - start_ms) / DAY_MS;
  if (days <= 2) return BUCKET_MS['1h'];
  return days <= 14 ? BUCKET_MS['6h'] : BUCKET_MS['1d'];
}

/** Length and starts of all buckets of a range, as epoch milliseconds; each starts at a multiple of its length (UTC). */
export function computeBuckets(
  range: HourRange,
  bucket_size: BucketSize | undefined,
  most = MOST_BUCKETS,
): { bucket_ms: number; starts: number[] } {
  const bucket_ms = bucket_size ? BUCKET_MS[bucket_size] : fittingSize(range);
  const first = Math.floor(range.start_ms / bucket_ms) * bucket_ms;
  const count = Math.ceil((range.end_ms - first) / bucket_ms);
  if (count > most) {
    const msg = `the range has ${count} buckets of this size, and at most ${most} are answered; choose a larger size or a shorter range`;
    throw invalidField(['query', 'bucket_size'], msg);
  }
  return { bucket_ms, starts: Array.from({ length: count }, (_, index) => first + index * bucket_ms) };
}
