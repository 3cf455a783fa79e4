import { DAY_MS, HOUR_MS } from '@millrace/engine/units';

/** A span of time, as two instants. */
export interface TimeBucket {
  readonly from: string;
  readonly to: string;
}

/** Length of all buckets; a single one counts as an hour. */
function bucketMs(starts: readonly string[]): number {
  const [first, second] = starts;
  if (first === undefined || second === undefined) return HOUR_MS;
  return Date.parse(second) - Date.parse(first);
}

export const isByDay = (starts: readonly string[]): boolean => bucketMs(starts) >= DAY_MS;

/** Buckets of equal length from their starts. */
export function toTimeBuckets(starts: readonly string[]): TimeBucket[] {
  const length = bucketMs(starts);
  return starts.map((from) => ({ from, to: new Date(Date.parse(from) + length).toISOString() }));
}
