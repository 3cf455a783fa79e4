import { DAY_MS } from '@millrace/engine/units';
import type { SqlClient, TransactionalSql } from '../../../database/sql-client.ts';
import { AHEAD_MS, firstIdAt } from '../history/filters.ts';
import { isInState } from '../run-state.ts';
import { BUCKETS, foldWorkflow, lockSnapshots, writeSnapshots } from './fold.ts';
import { endCounts, startOfSql } from './run-ends.ts';

interface Rebuild {
  readonly workflow_id: string;
  readonly since: Date | null;
  readonly next_day: Date | null;
}

/**
 * Requests that all snapshots are counted again from the stored runs.
 *
 * @param since from this hour on they are replaced; null: only those are that have fewer runs than are stored, so that runs
 * whose history was cut keep their counts
 * @returns of how many workflows
 */
export async function requestRebuild(sql: SqlClient, since: Date | null): Promise<number> {
  const { row_count } = await sql.query({
    text: `INSERT INTO analytics_rebuilds (workflow_id, since)
      SELECT id, ${startOfSql('hour', '$1::timestamptz')} FROM workflows w
      WHERE EXISTS (SELECT 1 FROM runs r WHERE r.workflow_id = w.id)
        OR EXISTS (SELECT 1 FROM analytics_snapshots s WHERE s.workflow_id = w.id)
      ON CONFLICT (workflow_id) DO UPDATE SET since = excluded.since, next_day = NULL, requested_at = now()`,
    values: [since],
  });
  return row_count;
}

const floorToDay = (instant: Date): Date => new Date(Math.floor(instant.getTime() / DAY_MS) * DAY_MS);
const dayAfter = (day: Date): Date => new Date(day.getTime() + DAY_MS);

async function firstDay(tx: SqlClient, { workflow_id, since }: Rebuild): Promise<Date | undefined> {
  const { rows } = await tx.query<{ first: Date | null }>({
    text: `SELECT least(
        (SELECT min(bucket_start) FROM analytics_snapshots WHERE workflow_id = $1 AND bucket_hours = 24),
        (SELECT started_at FROM runs WHERE workflow_id = $1 ORDER BY id LIMIT 1)) AS first`,
    values: [workflow_id],
  });
  const first = rows[0]?.first;
  if (!first) return undefined;
  return floorToDay(since && since > first ? since : first);
}

/** Runs of one slice, about: no statement may take long. */
const SLICE = 100_000;

const NO_END = new Date(Date.UTC(9999, 0));

interface Days {
  readonly first: Date;
  /** Not part of them. */
  readonly end: Date;
  readonly is_last: boolean;
}

async function nextDays(tx: SqlClient, workflow_id: string, first: Date): Promise<Days> {
  const { rows } = await tx.query<{ started_at: Date }>({
    text: `SELECT started_at FROM runs WHERE workflow_id = $1 AND id >= $2 ORDER BY id OFFSET ${SLICE} LIMIT 1`,
    values: [workflow_id, firstIdAt(first.getTime())],
  });
  const behind = rows[0];
  if (!behind) return { first, end: NO_END, is_last: true };
  const day = floorToDay(behind.started_at);
  return { first, end: day > first ? day : dayAfter(first), is_last: false };
}

/** Runs of some days by hour and bucket of latency, in the columns of `run_ends`. */
const COUNTED = `SELECT ${endCounts()} FROM (
    SELECT workflow_id, started_at, status, coalesce(duration_ms, execution_time_ms)::bigint AS duration_ms FROM runs
    WHERE workflow_id = $1 AND id >= $4 AND id < $5 AND started_at >= $2 AND started_at < $3 AND ${isInState('done')}) r`;

const HOURS = `SELECT bucket_start, sum(total) AS total, sum(success) AS success, sum(error) AS error,
    count(*) FILTER (WHERE latency_bucket IS NOT NULL) AS latency_sample_count, sum(total_latency_ms) AS total_latency_ms,
    max(max_latency_ms) AS max_latency_ms
  FROM (${COUNTED}) counted GROUP BY bucket_start`;

const IS_HOUR = `workflow_id = $1 AND bucket_hours = 1 AND bucket_start >= $2 AND bucket_start < $3`;

/** Hours whose snapshots are replaced by what is stored. */
const WRONG_HOURS = `SELECT bucket_start FROM (${HOURS}) h
  FULL JOIN (SELECT bucket_start, total FROM analytics_snapshots WHERE ${IS_HOUR}) s USING (bucket_start)
  WHERE bucket_start >= $6 OR coalesce(h.total, 0) > coalesce(s.total, 0)`;

const CHOSEN = 'bucket_start = ANY($6::timestamptz[])';

const REPLACE_HOURS = [
  `DELETE FROM analytics_latencies WHERE ${IS_HOUR} AND bucket_start = ANY($4::timestamptz[])`,
  `DELETE FROM analytics_snapshots WHERE ${IS_HOUR} AND bucket_start = ANY($4::timestamptz[])`,
];

const INSERT_HOURS = [
  `INSERT INTO analytics_snapshots (workflow_id, bucket_hours, bucket_start, total, success, error, latency_sample_count,
    total_latency_ms, max_latency_ms)
  SELECT $1::uuid, 1, bucket_start, total, success, error, latency_sample_count, total_latency_ms, max_latency_ms
  FROM (${HOURS}) h WHERE ${CHOSEN}`,
  `INSERT INTO analytics_latencies (workflow_id, bucket_hours, bucket_start, latency_bucket, samples)
  SELECT $1::uuid, 1, bucket_start, latency_bucket, sum(total) FROM (${COUNTED}) counted
  WHERE latency_bucket IS NOT NULL AND ${CHOSEN} GROUP BY bucket_start, latency_bucket`,
];

/** Replaces the sums of a length, whose starts begin at $2 and end before $3, by those of a shorter one. */
function replaceSums({ hours, unit }: (typeof BUCKETS)[number], of: (typeof BUCKETS)[number]): string[] {
  const isIn = (length: number) =>
    `workflow_id = $1 AND bucket_hours = ${length} AND bucket_start >= $2 AND bucket_start < $3`;
  const start = startOfSql(unit, 'bucket_start');
  return [
    `DELETE FROM analytics_latencies WHERE ${isIn(hours)}`,
    `DELETE FROM analytics_snapshots WHERE ${isIn(hours)}`,
    `INSERT INTO analytics_snapshots (workflow_id, bucket_hours, bucket_start, total, success, error, latency_sample_count,
      total_latency_ms, max_latency_ms)
    SELECT $1::uuid, ${hours}, ${start}, sum(total), sum(success), sum(error), sum(latency_sample_count),
      sum(total_latency_ms), max(max_latency_ms)
    FROM analytics_snapshots WHERE ${isIn(of.hours)} GROUP BY 3`,
    `INSERT INTO analytics_latencies (workflow_id, bucket_hours, bucket_start, latency_bucket, samples)
    SELECT $1::uuid, ${hours}, ${start}, latency_bucket, sum(samples)
    FROM analytics_latencies WHERE ${isIn(of.hours)} GROUP BY 3, 4`,
  ];
}

const [HOUR, DAY, MONTH] = BUCKETS;
const REPLACE_DAYS = replaceSums(DAY, HOUR);
const REPLACE_MONTHS = replaceSums(MONTH, DAY);

const toMonthStart = (instant: Date, more = 0): Date =>
  new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + more));

async function rebuildDays(tx: SqlClient, { workflow_id, since }: Rebuild, days: Days): Promise<void> {
  const range = [workflow_id, days.first, days.end];
  const ids = [firstIdAt(days.first.getTime()), firstIdAt(days.end.getTime() + AHEAD_MS)];
  const { rows } = await tx.query<{ bucket_start: Date }>({
    text: WRONG_HOURS,
    values: [...range, ...ids, since ?? 'infinity'],
  });
  const wrong = rows.map((row) => row.bucket_start);
  if (wrong.length === 0) return;
  for (const text of REPLACE_HOURS) await tx.query({ text, values: [...range, wrong] });
  for (const text of INSERT_HOURS) await tx.query({ text, values: [...range, ...ids, wrong] });
  for (const text of REPLACE_DAYS) await tx.query({ text, values: range });
  const months = [workflow_id, toMonthStart(days.first), toMonthStart(days.end, 1)];
  for (const text of REPLACE_MONTHS) await tx.query({ text, values: months });
}

/** The next days of the rebuild that was requested first. */
async function step(tx: SqlClient): Promise<boolean> {
  const { rows } = await tx.query<Rebuild>({
    text: `SELECT workflow_id, since, next_day FROM analytics_rebuilds ORDER BY requested_at, workflow_id LIMIT 1`,
  });
  const rebuild = rows[0];
  if (!rebuild) return false;
  const { workflow_id } = rebuild;
  await foldWorkflow(tx, workflow_id);
  const first = rebuild.next_day ?? (await firstDay(tx, rebuild));
  const days = first && (await nextDays(tx, workflow_id, first));
  if (days) await rebuildDays(tx, rebuild, days);
  await tx.query(
    days && !days.is_last
      ? {
          text: 'UPDATE analytics_rebuilds SET next_day = $2 WHERE workflow_id = $1',
          values: [workflow_id, days.end],
        }
      : { text: 'DELETE FROM analytics_rebuilds WHERE workflow_id = $1', values: [workflow_id] },
  );
  return true;
}

/**
 * Counts some days of one workflow again. All statements see the same instant, in which the snapshots and the ends that are not
 * folded are exactly the runs that have ended.
 *
 * @returns false if there is nothing to do or another process is doing it
 */
export async function rebuildStep(sql: TransactionalSql): Promise<boolean> {
  const done = await writeSnapshots(sql, async (tx) => {
    await tx.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ' });
    return (await lockSnapshots(tx)) ? step(tx) : false;
  });
  return done ?? false;
}
