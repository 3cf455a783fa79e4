import type { SqlClient, TransactionalSql } from '../../../database/sql-client.ts';
import { sqlState } from '../../../database/sql-errors.ts';
import { startOfSql } from './run-ends.ts';

/** Any constant: only one transaction at a time writes snapshots. */
const FOLD_LOCK = 7_310_115;

/** Rows of one statement, so that no other work waits for long. */
const SLICE = 20_000;

/** Lengths of snapshots: hours, and days and months (nominally 720 hours), so that long ranges need not read all hours. */
export const BUCKETS = [
  { hours: 1, unit: 'hour' },
  { hours: 24, unit: 'day' },
  { hours: 720, unit: 'month' },
] as const;

/** In the order of the key, as every statement that writes snapshots takes its locks. */
const addSnapshots = ({ hours, unit }: (typeof BUCKETS)[number]) => `snapshots_${unit} AS (
  INSERT INTO analytics_snapshots AS s (workflow_id, bucket_hours, bucket_start, total, success, error, latency_sample_count,
    total_latency_ms, max_latency_ms)
  SELECT workflow_id, ${hours}, ${startOfSql(unit, 'bucket_start')}, sum(total), sum(success), sum(error),
    coalesce(sum(total) FILTER (WHERE latency_bucket IS NOT NULL), 0), sum(total_latency_ms), max(max_latency_ms)
  FROM known GROUP BY 1, 3 ORDER BY 1, 3
  ON CONFLICT (workflow_id, bucket_hours, bucket_start) DO UPDATE SET total = s.total + excluded.total,
    success = s.success + excluded.success, error = s.error + excluded.error,
    latency_sample_count = s.latency_sample_count + excluded.latency_sample_count,
    total_latency_ms = s.total_latency_ms + excluded.total_latency_ms,
    max_latency_ms = greatest(s.max_latency_ms, excluded.max_latency_ms))`;

const addLatencies = ({ hours, unit }: (typeof BUCKETS)[number]) => `latencies_${unit} AS (
  INSERT INTO analytics_latencies AS l (workflow_id, bucket_hours, bucket_start, latency_bucket, samples)
  SELECT workflow_id, ${hours}, ${startOfSql(unit, 'bucket_start')}, latency_bucket, sum(total)
  FROM known WHERE latency_bucket IS NOT NULL GROUP BY 1, 3, 4 ORDER BY 1, 3, 4
  ON CONFLICT (workflow_id, bucket_hours, bucket_start, latency_bucket) DO UPDATE SET samples = l.samples + excluded.samples)`;

/** Ends of runs whose workflow was deleted meanwhile count nowhere. */
const fold = (condition: string) => `WITH gone AS (
  DELETE FROM run_ends WHERE ctid = ANY(ARRAY(SELECT ctid FROM run_ends ${condition} LIMIT ${SLICE}))
  RETURNING *),
known AS MATERIALIZED (SELECT g.* FROM gone g JOIN workflows w ON w.id = g.workflow_id),
${BUCKETS.flatMap((bucket) => [addSnapshots(bucket), addLatencies(bucket)]).join(',\n')}
SELECT count(*)::int AS folded FROM gone`;

const FOLD_ALL = fold('');
const FOLD_WORKFLOW = fold('WHERE workflow_id = $1');

async function foldSlice(tx: SqlClient, workflow_id?: string): Promise<number> {
  const { rows } = await tx.query<{ folded: number }>(
    workflow_id === undefined ? { text: FOLD_ALL } : { text: FOLD_WORKFLOW, values: [workflow_id] },
  );
  return rows[0]?.folded ?? 0;
}

/** Folds what one workflow has; its snapshots then are all of its runs that this transaction sees. */
export async function foldWorkflow(tx: SqlClient, workflow_id: string): Promise<void> {
  while ((await foldSlice(tx, workflow_id)) === SLICE);
}

/** Whether this transaction alone writes snapshots now; the lock ends with it. */
export async function lockSnapshots(tx: SqlClient): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>({
    text: 'SELECT pg_try_advisory_xact_lock($1) AS locked',
    values: [FOLD_LOCK],
  });
  return rows[0]?.locked === true;
}

/** A workflow was deleted meanwhile, or another transaction was first; nothing was written, and the next pass does it. */
const OVERTAKEN = new Set(['23503', '23505', '40001']);

/** @returns undefined if another transaction writes snapshots or was first */
export async function writeSnapshots<T>(
  sql: TransactionalSql,
  work: (tx: SqlClient) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await sql.transaction(work);
  } catch (error) {
    if (OVERTAKEN.has(sqlState(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * Adds the ends of runs to the snapshots until none is left, or while another process does it. Readers see each end exactly
 * once, before and after.
 *
 * @param signal ends it after the slice that is under way
 * @returns how many rows were folded
 */
export async function foldEnds(sql: TransactionalSql, signal?: AbortSignal): Promise<number> {
  let folded = 0;
  for (;;) {
    const { rows } = await sql.query({ text: 'SELECT 1 FROM run_ends LIMIT 1' });
    if (rows.length === 0 || signal?.aborted) return folded;
    const slice = await sql.transaction(async (tx) =>
      (await lockSnapshots(tx)) ? foldSlice(tx) : undefined,
    );
    if (slice === undefined) return folded;
    folded += slice;
  }
}
