import type { ReplayJob } from '@millrace/contracts';
import { deleteInSlices } from '../../database/delete-in-slices.ts';
import type { SqlClient, Statement } from '../../database/sql-client.ts';
import type { Claim, ClaimTable } from '../../execution/claimed-work/claims.ts';
import { plainText } from '../../execution/store/encoding/columns.ts';

/** Jobs of one person that have not ended, paused ones included. */
export const MOST_OPEN_JOBS = 20;

export interface ReplayJobRow {
  id: string;
  requested_by: string;
  client_ip: string;
  state: ReplayJob['state'];
  origin: ReplayJob['from'];
  version: ReplayJob['version'];
  rate: number;
  total: number;
  replayed: number;
  refused: number;
  created_at: Date;
  finished_at: Date | null;
}

const COLUMNS = `id, requested_by, client_ip, state, origin, version, rate, total, replayed, refused, created_at, finished_at`;

/** As the `Idempotency-Key` of the request has it. */
interface JobKey {
  readonly key: string;
  readonly request_hash: string;
}

type NewJob = Pick<ReplayJobRow, 'requested_by' | 'client_ip' | 'origin' | 'version' | 'rate'> & {
  readonly idempotency?: JobKey | undefined;
};

/** The selection as `insertJob` takes it. */
export const FIRST_OF_SELECTION = 8;

/**
 * Lets new jobs of one person wait for each other until the transaction ends, so that they can be counted.
 *
 * @returns how many have not ended
 */
export async function lockOpenJobs(tx: SqlClient, requested_by: string): Promise<number> {
  await tx.query({ text: 'SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE', values: [requested_by] });
  const { rows } = await tx.query<{ open: number }>({
    text: `SELECT count(*)::int AS open FROM replay_jobs WHERE requested_by = $1 AND finished_at IS NULL`,
    values: [requested_by],
  });
  return rows[0]?.open ?? 0;
}

/** The job that a person requested with this key. */
export async function jobOfKey(
  sql: SqlClient,
  requested_by: string,
  key: string,
): Promise<{ id: string; request_hash: string } | undefined> {
  const { rows } = await sql.query<{ id: string; request_hash: string }>({
    text: 'SELECT id, request_hash FROM replay_jobs WHERE requested_by = $1 AND idempotency_key = $2',
    values: [requested_by, key],
  });
  return rows[0];
}

/** Runs by their ids; the same id counts once. */
export const buildSelection = (run_ids: readonly string[]): Statement => ({
  text: `SELECT DISTINCT unnest($${FIRST_OF_SELECTION}::uuid[]) AS id`,
  values: [run_ids],
});

/**
 * Stores a job with its runs: what the selection finds at this moment. A job without runs is done.
 *
 * @param selection its parameters begin at `FIRST_OF_SELECTION`; its column is `id`
 * @returns its id
 */
export async function insertJob(sql: SqlClient, job: NewJob, selection: Statement): Promise<string> {
  const { idempotency } = job;
  const { rows } = await sql.query<{ id: string }>({
    text: `WITH selected AS MATERIALIZED (${selection.text}),
      job AS (
        INSERT INTO replay_jobs (requested_by, client_ip, origin, version, rate, idempotency_key, request_hash, total, state,
          finished_at)
        SELECT $1::uuid, $2::text, $3::text, $4::text, $5::int, $6::text, $7::text, count(*)::int,
          CASE WHEN count(*) = 0 THEN 'done' ELSE 'running' END, CASE WHEN count(*) = 0 THEN now() END
        FROM selected RETURNING id),
      listed AS (INSERT INTO replay_job_runs (job_id, run_id) SELECT job.id, selected.id FROM job, selected)
      SELECT id FROM job`,
    values: [
      job.requested_by,
      job.client_ip,
      job.origin,
      job.version,
      job.rate,
      idempotency?.key ?? null,
      idempotency?.request_hash ?? null,
      ...(selection.values ?? []),
    ],
  });
  const [row] = rows;
  if (!row) throw new Error('a replay job was not stored');
  return row.id;
}

/** Newest jobs of a person, or the one that is asked for. */
export async function readJobs(
  sql: SqlClient,
  requested_by: string,
  { id, limit }: { id?: string; limit: number },
): Promise<ReplayJobRow[]> {
  const { rows } = await sql.query<ReplayJobRow>({
    text: `SELECT ${COLUMNS} FROM replay_jobs WHERE requested_by = $1 AND ($2::uuid IS NULL OR id = $2)
      ORDER BY created_at DESC, id LIMIT $3`,
    values: [requested_by, id ?? null, limit],
  });
  return rows;
}

export type RefusalRow = ReplayJob['refusals'][number] & { job_id: string };

export async function readRefusals(sql: SqlClient, job_ids: readonly string[]): Promise<RefusalRow[]> {
  const { rows } = await sql.query<RefusalRow>({
    text: `SELECT job_id, reason, message, count FROM replay_job_refusals
      WHERE job_id = ANY ($1::uuid[]) ORDER BY count DESC, reason`,
    values: [job_ids],
  });
  return rows;
}

/** @returns undefined where the person has no such job in one of these states */
export async function moveJob(
  sql: SqlClient,
  { id, requested_by }: Pick<ReplayJobRow, 'id' | 'requested_by'>,
  { from, to }: { from: readonly ReplayJob['state'][]; to: 'running' | 'paused' | 'cancelled' },
): Promise<ReplayJobRow | undefined> {
  const { rows } = await sql.query<ReplayJobRow>({
    text: `WITH moved AS (
        UPDATE replay_jobs SET state = $4, finished_at = CASE WHEN $4 = 'cancelled' THEN coalesce(finished_at, now()) END
        WHERE id = $1 AND requested_by = $2 AND state = ANY ($3::text[]) RETURNING ${COLUMNS}),
      left_over AS (
        DELETE FROM replay_job_runs WHERE job_id IN (SELECT id FROM moved WHERE state = 'cancelled'))
      SELECT * FROM moved`,
    values: [id, requested_by, from, to],
  });
  return rows[0];
}

/** One slice is carried out per claim; a job that is paused meanwhile is still held. */
export const JOB_CLAIMS: ClaimTable = {
  name: 'replay_jobs',
  due_at: 'next_slice_at',
  is_open: 'finished_at IS NULL',
  is_ready: `state = 'running'`,
};

/** Unique among the runs of a workflow: the same job runs the same run again once. */
export const replayKey = (job_id: string, run_id: string): string => `replay:${job_id}:${run_id}`;

/** A run with what its job says of how it is run again. */
export interface SliceRun extends Pick<ReplayJobRow, 'requested_by' | 'client_ip' | 'origin' | 'version'> {
  run_id: string;
  /** Null where the run was deleted. */
  workflow_id: string | null;
  failures: number;
  /** By this job, in a slice whose process was lost before it was counted. */
  is_replayed: boolean;
  /** By a person or by another replay, since the job was created. */
  is_dismissed: boolean;
}

/** Runs `r` of a workflow that refuses them for a while. */
const IS_RESTING = `EXISTS (SELECT 1 FROM replay_job_rests x
  WHERE x.job_id = l.job_id AND x.workflow_id = r.workflow_id AND x.until > now())`;

/**
 * The next runs of a job, oldest first; those that failed unexpectedly after the others. Runs of workflows that rest are left
 * out.
 */
export async function readSlice(sql: SqlClient, { id }: Claim): Promise<string[]> {
  const { rows } = await sql.query<Pick<SliceRun, 'run_id'>>({
    text: `SELECT l.run_id FROM replay_job_runs l LEFT JOIN runs r ON r.id = l.run_id
      WHERE l.job_id = $1 AND NOT ${IS_RESTING} ORDER BY l.failures, l.run_id
      LIMIT (SELECT rate FROM replay_jobs WHERE id = $1)`,
    values: [id],
  });
  return rows.map(({ run_id }) => run_id);
}

/**
 * A run of a slice when it is its turn.
 *
 * @returns undefined where the job was paused or cancelled since, its workflow rests, or another process has counted the run
 *   or has started the slice again
 */
export async function readTurn(
  sql: SqlClient,
  { id, claim_id }: Claim,
  run_id: string,
): Promise<SliceRun | undefined> {
  const { rows } = await sql.query<SliceRun>({
    text: `SELECT l.run_id, l.failures, r.workflow_id, j.requested_by, j.client_ip, j.origin, j.version,
        EXISTS (SELECT 1 FROM runs x
          WHERE x.workflow_id = r.workflow_id AND x.idempotency_key = $3) AS is_replayed,
        coalesce(r.dismissed_at > j.created_at, false) AS is_dismissed
      FROM replay_job_runs l JOIN replay_jobs j ON j.id = l.job_id LEFT JOIN runs r ON r.id = l.run_id
      WHERE l.job_id = $1 AND l.run_id = $2 AND j.state = 'running' AND j.claim_id = $4
        AND NOT ${IS_RESTING}`,
    values: [id, run_id, replayKey(id, run_id), claim_id],
  });
  return rows[0];
}

/** Leaves the runs of a workflow alone for so long. */
export async function restWorkflow(
  sql: SqlClient,
  { id }: Claim,
  { workflow_id, seconds }: { workflow_id: string; seconds: number },
): Promise<void> {
  await sql.query({
    text: `INSERT INTO replay_job_rests (job_id, workflow_id, until)
      SELECT id, $2::uuid, now() + make_interval(secs => $3) FROM replay_jobs WHERE id = $1
      ON CONFLICT (job_id, workflow_id) DO UPDATE SET until = excluded.until`,
    values: [id, workflow_id, seconds],
  });
}

export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/**
 * Takes a run off the list of its job and counts it, once however often it is said. The job is locked before its run, as
 * where a job is cancelled: in another order the two would wait for each other.
 */
export async function countRun(
  sql: SqlClient,
  { job_id, run_id }: { job_id: string; run_id: string },
  refusal?: Refusal,
): Promise<void> {
  await sql.query({
    text: `WITH job AS (SELECT id FROM replay_jobs WHERE id = $1 FOR NO KEY UPDATE),
      done AS (
        DELETE FROM replay_job_runs WHERE job_id = (SELECT id FROM job) AND run_id = $2 RETURNING job_id),
      why AS (
        INSERT INTO replay_job_refusals (job_id, reason, message, count)
        SELECT job_id, $3::text, $4::text, 1 FROM done WHERE $3::text IS NOT NULL
        ON CONFLICT (job_id, reason) DO UPDATE SET count = replay_job_refusals.count + 1)
      UPDATE replay_jobs SET replayed = replayed + ($3::text IS NULL)::int, refused = refused + ($3::text IS NOT NULL)::int
      WHERE id IN (SELECT job_id FROM done)`,
    values: [job_id, run_id, refusal?.reason ?? null, refusal ? plainText(refusal.message) : null],
  });
}

export async function countFailure(
  sql: SqlClient,
  { job_id, run_id }: { job_id: string; run_id: string },
): Promise<void> {
  await sql.query({
    text: 'UPDATE replay_job_runs SET failures = failures + 1 WHERE job_id = $1 AND run_id = $2',
    values: [job_id, run_id],
  });
}

/**
 * Ends a job that has no run left.
 *
 * @returns seconds until the first of its workflows that rest has rested
 */
export async function endSlice(sql: SqlClient, { id, claim_id }: Claim): Promise<number> {
  const { rows } = await sql.query<{ seconds: number }>({
    text: `WITH done AS (
        UPDATE replay_jobs SET state = 'done', finished_at = now() WHERE id = $1 AND claim_id = $2
        AND finished_at IS NULL AND NOT EXISTS (SELECT 1 FROM replay_job_runs WHERE job_id = $1))
      SELECT coalesce(extract(epoch FROM min(until) - now()), 0)::float8 AS seconds FROM replay_job_rests
      WHERE job_id = $1 AND until > now()`,
    values: [id, claim_id],
  });
  return rows[0]?.seconds ?? 0;
}

const KEPT_DAYS = 30;

/** @returns how many jobs that ended long ago were removed */
export const purgeReplayJobs = (sql: SqlClient): Promise<number> =>
  deleteInSlices(
    sql,
    `DELETE FROM replay_jobs WHERE id IN (
      SELECT id FROM replay_jobs WHERE finished_at < now() - interval '${KEPT_DAYS} days' LIMIT $1)`,
  );
