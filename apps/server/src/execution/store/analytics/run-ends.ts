import { HOUR_MS } from '@millrace/engine/units';
import { type Cell, columnTable, insertSql, type RowOf } from '../encoding/columns.ts';
import { STATE } from '../run-state.ts';
import type { RunRow } from '../tables.ts';
import { latencyBucket, latencyBucketSql } from './latency-buckets.ts';

/** Runs of one batch that ended, counted by workflow, hour and bucket of latency. */
export const RUN_END_COLUMNS = columnTable({
  workflow_id: 'uuid',
  bucket_start: 'instant',
  latency_bucket: 'smallint',
  total: 'integer',
  success: 'integer',
  error: 'integer',
  total_latency_ms: 'bigint',
  max_latency_ms: 'bigint',
});

export const floorToHour = (epoch_ms: number): number => Math.floor(epoch_ms / HOUR_MS) * HOUR_MS;

interface Counted extends RowOf<typeof RUN_END_COLUMNS> {
  total: number;
  success: number;
  error: number;
  total_latency_ms: number;
  max_latency_ms: number;
}

const toNumber = (cell: Cell): number => (typeof cell === 'number' ? cell : 0);

/** The numbers that rows of new runs add to the counts: nothing, for those that have not ended. */
export function countEnds(rows: readonly RunRow[]): RowOf<typeof RUN_END_COLUMNS>[] {
  const counted = new Map<string, Counted>();
  for (const { workflow_id, state, status, started_at, duration_ms } of rows) {
    if (state !== STATE.done) continue;
    const ms = toNumber(duration_ms);
    const bucket_start = floorToHour(toNumber(started_at));
    const latency_bucket = latencyBucket(ms);
    const key = `${workflow_id} ${bucket_start} ${latency_bucket}`;
    let row = counted.get(key);
    if (!row) {
      const none = { total: 0, success: 0, error: 0, total_latency_ms: 0, max_latency_ms: 0 };
      row = { workflow_id, bucket_start, latency_bucket, ...none };
      counted.set(key, row);
    }
    row.total += 1;
    if (status === 'success') row.success += 1;
    if (status === 'error') row.error += 1;
    if (latency_bucket === null) continue;
    row.total_latency_ms += ms;
    row.max_latency_ms = Math.max(row.max_latency_ms, ms);
  }
  return [...counted.values()];
}

/** @param rows of `RUN_END_COLUMNS`, as a part of FROM */
export const insertCountedEnds = (rows: string): string =>
  insertSql({ into: 'run_ends', columns: RUN_END_COLUMNS, from: rows });

/** Columns of `runs` that a statement that ends runs must return for `insertEnds`. */
export const ENDED_COLUMNS = ['workflow_id', 'started_at', 'state', 'status', 'duration_ms'] as const;

export const endedColumns = (prefix = ''): string =>
  ENDED_COLUMNS.map((column) => `${prefix}${column}`).join(', ');

/** Time of a run that is a sample of latency, otherwise 0. */
const latencySql = (ms: string) => `greatest(0, coalesce(${ms}, 0))`;

/** The start of the hour, day or month (UTC) of an instant, independent of the connection's time zone. */
export const startOfSql = (unit: 'hour' | 'day' | 'month', instant: string): string =>
  `date_trunc('${unit}', ${instant}, 'UTC')`;

/** SQL for the values that one run adds to the counts. */
export const endCounts = (): string =>
  `workflow_id, ${startOfSql('hour', 'started_at')} AS bucket_start, ${latencyBucketSql('duration_ms')} AS latency_bucket,
  1 AS total, (status = 'success')::int AS success, (status = 'error')::int AS error,
  ${latencySql('duration_ms')} AS total_latency_ms, ${latencySql('duration_ms')} AS max_latency_ms`;

/**
 * Counts runs in the statement that ends them, and so exactly once.
 *
 * @param ended parts of the statement with `ENDED_COLUMNS`; rows of runs that have not ended are passed over
 */
export function insertEnds(...ended: readonly string[]): string {
  const rows = ended.map((part) => `SELECT ${endedColumns()} FROM ${part} WHERE state = ${STATE.done}`);
  return `INSERT INTO run_ends (${RUN_END_COLUMNS.names.join(', ')})
  SELECT ${endCounts()} FROM (${rows.join(' UNION ALL ')}) ended`;
}
