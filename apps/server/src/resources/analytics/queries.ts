import { DAY_MS } from '@millrace/engine/units';
import type { SqlClient } from '../../database/sql-client.ts';
import type { BucketCount } from '../../execution/store/analytics/latency-buckets.ts';
import type { HourRange } from './range.ts';

/** Runs of which workflows, and when they began. */
export interface Counted extends HourRange {
  readonly workflow_ids: readonly string[];
}

/** The whole days within the range; none: both at its end. */
function wholeDays({ start_ms, end_ms }: HourRange): HourRange {
  const first = Math.ceil(start_ms / DAY_MS) * DAY_MS;
  const last = Math.floor(end_ms / DAY_MS) * DAY_MS;
  return first < last ? { start_ms: first, end_ms: last } : { start_ms: end_ms, end_ms };
}

/** The whole months (UTC) within days; none: both at their end. */
function wholeMonths({ start_ms, end_ms }: HourRange): HourRange {
  const [start, end] = [new Date(start_ms), new Date(end_ms)];
  const here = Date.UTC(start.getUTCFullYear(), start.getUTCMonth());
  const next = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
  const first = here === start_ms ? here : next;
  const last = Date.UTC(end.getUTCFullYear(), end.getUTCMonth());
  return first < last ? { start_ms: first, end_ms: last } : { start_ms: end_ms, end_ms };
}

/** Longest snapshots that a statement may add up. */
type Coarsest = 'hour' | 'day' | 'month';

/** $1: workflows; $2 to $7: start of the range, of its whole days and of its whole months, and their ends in reverse order. */
function rangeValues({ workflow_ids, ...range }: Counted, coarsest: Coarsest = 'month'): unknown[] {
  const none = { start_ms: range.end_ms, end_ms: range.end_ms };
  const days = coarsest === 'hour' ? none : wholeDays(range);
  const months = coarsest === 'month' ? wholeMonths(days) : { ...days, start_ms: days.end_ms };
  const starts = [range.start_ms, days.start_ms, months.start_ms];
  const ends = [months.end_ms, days.end_ms, range.end_ms];
  return [workflow_ids, ...[...starts, ...ends].map((at) => new Date(at))];
}

/** Parameters of the ranges that snapshots of a length, in hours, are read of. */
const READ = [
  [720, '$4', '$5'],
  [24, '$3', '$4'],
  [24, '$5', '$6'],
  [1, '$2', '$3'],
  [1, '$6', '$7'],
] as const;

/** Snapshots of whole months, days and hours, and the ends that are in no snapshot yet. */
const parts = (table: string, columns: string, ends: string) => `
  ${READ.map(
    ([hours, from, to]) => `SELECT ${columns} FROM ${table}
  WHERE workflow_id = ANY($1::uuid[]) AND bucket_hours = ${hours} AND bucket_start >= ${from} AND bucket_start < ${to}
  UNION ALL `,
  ).join('')}SELECT ${ends} FROM run_ends
  WHERE workflow_id = ANY($1::uuid[]) AND bucket_start >= $2 AND bucket_start < $7`;

const SUMMED = ['workflow_id', 'bucket_start', 'total', 'success', 'error'];
const COUNTS = parts(
  'analytics_snapshots',
  [...SUMMED, 'latency_sample_count', 'total_latency_ms', 'max_latency_ms'].join(', '),
  [
    ...SUMMED,
    'CASE WHEN latency_bucket IS NULL THEN 0 ELSE total END',
    'total_latency_ms',
    'max_latency_ms',
  ].join(', '),
);
const LATENCIES = parts(
  'analytics_latencies',
  'workflow_id, latency_bucket, samples',
  'workflow_id, latency_bucket, total',
);

/** As numbers, for drivers give large sums as text. */
const SUMS = `coalesce(sum(total), 0)::float8 AS total, coalesce(sum(success), 0)::float8 AS success,
  coalesce(sum(error), 0)::float8 AS error, (sum(total_latency_ms) / nullif(sum(latency_sample_count), 0))::float8 AS avg_ms`;

export interface RunCounts {
  readonly total: number;
  readonly success: number;
  readonly error: number;
  /** Of the runs that took at least a millisecond; null without any. */
  readonly avg_ms: number | null;
}

const NONE: RunCounts = { total: 0, success: 0, error: 0, avg_ms: null };

export interface LongestCounts extends RunCounts {
  readonly longest_ms: number;
}

export async function countRuns(sql: SqlClient, counted: Counted): Promise<LongestCounts> {
  const { rows } = await sql.query<LongestCounts>({
    name: 'analytics_totals',
    text: `SELECT ${SUMS}, coalesce(max(max_latency_ms), 0)::float8 AS longest_ms FROM (${COUNTS}) c`,
    values: rangeValues(counted),
  });
  return rows[0] ?? { ...NONE, longest_ms: 0 };
}

/** The number of samples per bucket of latency, ascending. */
export async function countLatencies(sql: SqlClient, counted: Counted): Promise<BucketCount[]> {
  const { rows } = await sql.query<BucketCount>({
    name: 'analytics_latencies',
    text: `SELECT latency_bucket, sum(samples)::float8 AS samples FROM (${LATENCIES}) l
      WHERE latency_bucket IS NOT NULL GROUP BY latency_bucket ORDER BY latency_bucket`,
    values: rangeValues(counted),
  });
  return rows;
}

export interface BucketCounts extends RunCounts {
  /** Epoch milliseconds. */
  readonly at_ms: number;
}

/** Runs by when they began, in buckets that start at whole multiples of their length (UTC); only those with runs. */
export async function countByBucket(
  sql: SqlClient,
  { bucket_ms, ...counted }: Counted & { readonly bucket_ms: number },
): Promise<BucketCounts[]> {
  const { rows } = await sql.query<BucketCounts>({
    name: 'analytics_buckets',
    text: `SELECT (floor(extract(epoch FROM bucket_start) * 1000 / $8::float8) * $8::float8)::float8 AS at_ms, ${SUMS}
      FROM (${COUNTS}) c GROUP BY 1 ORDER BY 1`,
    values: [...rangeValues(counted, bucket_ms >= DAY_MS ? 'day' : 'hour'), bucket_ms],
  });
  return rows;
}

export interface WorkflowCounts extends RunCounts {
  readonly workflow_id: string;
  readonly workflow_name: string;
}

export interface MostOf {
  readonly by: 'total' | 'error';
  readonly limit: number;
}

/** Workflows with the most runs, or with the most that failed. */
export async function countByWorkflow(
  sql: SqlClient,
  counted: Counted,
  { by, limit }: MostOf,
): Promise<WorkflowCounts[]> {
  const { rows } = await sql.query<WorkflowCounts>({
    name: `analytics_workflows_by_${by}`,
    text: `SELECT c.workflow_id, w.name AS workflow_name, c.total, c.success, c.error, c.avg_ms
      FROM (SELECT workflow_id, ${SUMS} FROM (${COUNTS}) c GROUP BY workflow_id) c JOIN workflows w ON w.id = c.workflow_id
      WHERE c.${by} > 0 ORDER BY c.${by} DESC, c.total DESC, w.name, w.id LIMIT $8`,
    values: [...rangeValues(counted), limit],
  });
  return rows;
}

/** Start of the first hour in which one of the workflows has runs. */
export async function firstHour(
  sql: SqlClient,
  workflow_ids: readonly string[],
): Promise<number | undefined> {
  const { rows } = await sql.query<{ first: Date | null }>({
    text: `SELECT least(
        (SELECT min(bucket_start) FROM analytics_snapshots WHERE workflow_id = ANY($1::uuid[]) AND bucket_hours = 24),
        (SELECT min(bucket_start) FROM run_ends WHERE workflow_id = ANY($1::uuid[]))) AS first`,
    values: [workflow_ids],
  });
  return rows[0]?.first?.getTime();
}
