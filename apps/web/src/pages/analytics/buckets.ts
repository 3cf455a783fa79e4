import type { RunMetrics } from '@millrace/contracts';
import { type TimeBucket, toTimeBuckets } from '../../ui/charts/time-buckets.ts';

/** Counts of what happened between two instants. */
export interface Bucket extends TimeBucket {
  readonly runs: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Neither: cancelled, cached, refused. */
  readonly other: number;
  readonly average_ms: number | null;
}

export function toBuckets(metrics: RunMetrics): Bucket[] {
  return toTimeBuckets(metrics.time_buckets).map((bucket, at) => {
    const [runs = 0, succeeded = 0, failed = 0] = [
      metrics.executions[at],
      metrics.successes[at],
      metrics.errors[at],
    ];
    return {
      ...bucket,
      runs,
      succeeded,
      failed,
      other: runs - succeeded - failed,
      average_ms: metrics.avg_latency_ms[at] ?? null,
    };
  });
}
