import type { RunMetrics } from '@millrace/contracts';
import type { TimeBucket } from '../../ui/charts/stacked-bars.tsx';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What happened between two instants. */
export interface Bucket extends TimeBucket {
  readonly runs: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Neither: cancelled, cached, refused. */
  readonly other: number;
  readonly average_ms: number | null;
}

/** Length of all buckets; a single one counts as an hour. */
export function bucketMs(starts: readonly string[]): number {
  const [first, second] = starts;
  if (first === undefined || second === undefined) return HOUR_MS;
  return Date.parse(second) - Date.parse(first);
}

export const isByDay = (starts: readonly string[]): boolean => bucketMs(starts) >= DAY_MS;

export function bucketsOf(metrics: RunMetrics): Bucket[] {
  const length = bucketMs(metrics.time_buckets);
  return metrics.time_buckets.map((from, at) => {
    const [runs = 0, succeeded = 0, failed = 0] = [
      metrics.executions[at],
      metrics.successes[at],
      metrics.errors[at],
    ];
    return {
      from,
      to: new Date(Date.parse(from) + length).toISOString(),
      runs,
      succeeded,
      failed,
      other: runs - succeeded - failed,
      average_ms: metrics.avg_latency_ms[at] ?? null,
    };
  });
}
