import { DAY_MS } from '@millrace/engine/units';

/** Each bucket is so much wider than the one before it. */
const GROWTH = 1.05;
/** A run may take longer; it counts as this long in percentiles. */
const LONGEST_MS = 30 * DAY_MS;

function leastOfEach(): number[] {
  const bounds: number[] = [];
  for (let least = 1; least <= LONGEST_MS; least = Math.max(least + 1, Math.floor(least * GROWTH))) {
    bounds.push(least);
  }
  return bounds;
}

/** Least milliseconds of each bucket; the first is bucket 1. Stored counts refer to it, so it must not change. */
const BOUNDS = leastOfEach();

/** Number of the bucket of a latency; null for no time at all, which is no sample. */
export function latencyBucket(ms: number): number | null {
  if (ms < 1) return null;
  let low = 0;
  let high = BOUNDS.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((BOUNDS[middle] ?? Number.POSITIVE_INFINITY) <= ms) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** The same for SQL. */
export const latencyBucketSql = (ms: string): string =>
  `CASE WHEN ${ms} >= 1 THEN width_bucket(${ms}, '{${BOUNDS.join(',')}}'::bigint[])::smallint END`;

/** Milliseconds in the middle of a bucket: up to 39 ms exact, beyond at most 2.5 % from each value in it. */
function computeMiddle(bucket: number): number {
  const least = BOUNDS[bucket - 1] ?? LONGEST_MS;
  const next = BOUNDS[bucket] ?? least + 1;
  return (least + next - 1) / 2;
}

export interface BucketCount {
  readonly latency_bucket: number;
  readonly samples: number;
}

/**
 * Latency that the given share of the samples does not exceed (nearest rank); null without samples.
 *
 * @param counts by bucket, ascending
 * @param longest_ms the longest of all samples
 */
export function percentileMs(
  counts: readonly BucketCount[],
  { share, longest_ms }: { share: number; longest_ms: number },
): number | null {
  const samples = counts.reduce((sum, count) => sum + count.samples, 0);
  const rank = Math.max(1, Math.ceil(samples * share));
  let passed = 0;
  for (const count of counts) {
    passed += count.samples;
    if (passed >= rank) return Math.min(computeMiddle(count.latency_bucket), longest_ms);
  }
  return null;
}
