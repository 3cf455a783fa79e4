import type { RunStatus } from '@millrace/contracts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { Milestone, RunLook } from '../model/run.ts';
import { IS_HELD, MAY_BE_CLAIMED } from './queue/queue-position.ts';
import { WAITS_FOR_REVIEW } from './run-progress.ts';
import { hasNotEnded, isInState } from './run-state.ts';

/** Where a run is and whose it is. */
export interface StateAndOwner {
  readonly id: string;
  readonly state: number;
  readonly owner: string | null;
}

export async function statesAndOwners(
  sql: SqlClient,
  run_ids: readonly string[],
): Promise<Map<string, StateAndOwner>> {
  const { rows } = await sql.query<StateAndOwner>({
    text: 'SELECT id, state, owner FROM runs WHERE id = ANY($1)',
    values: [run_ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Statuses of runs, as history shows them; those that are gone are absent. */
export async function loadStatuses(
  sql: SqlClient,
  run_ids: readonly string[],
): Promise<Map<string, RunStatus>> {
  const { rows } = await sql.query<{ id: string; status: RunStatus }>({
    text: 'SELECT id, status FROM runs WHERE id = ANY($1::uuid[])',
    values: [run_ids],
  });
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** Facts that may lead to a milestone. Where parts of a row are kept apart, only reading it tells whether it answers. */
const FACTS: Readonly<Record<Milestone, string | undefined>> = {
  finished: undefined,
  answered: `kind = 'done' AND (record LIKE '%"answers_early":true%' OR record LIKE '@%')`,
  moved: `kind <> 'intent'`,
  reviewed: undefined,
};

/** How far a run is. */
export async function lookAtRun(
  sql: SqlClient,
  run_id: string,
  until: Milestone,
): Promise<RunLook | undefined> {
  const facts = FACTS[until];
  const counted = facts ? `(SELECT count(*)::int FROM steps WHERE run_id = $1 AND ${facts})` : '0';
  const pauses = until === 'reviewed' ? WAITS_FOR_REVIEW : isInState('waiting', 'r.state');
  const { rows } = await sql.query<RunLook>({
    name: `look_at_run_${until}`,
    text: `SELECT ${isInState('done', 'r.state')} OR ${pauses} AS rests, ${counted} AS facts FROM runs r WHERE r.id = $1`,
    values: [run_id],
  });
  return rows[0];
}

/** Runs of a workflow that have not ended, at most so many. */
export async function listOpenRuns(sql: SqlClient, workflow_id: string, most: number): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT id FROM runs WHERE workflow_id = $1 AND ${hasNotEnded()} LIMIT $2`,
    values: [workflow_id, most],
  });
  return rows.map(({ id }) => id);
}

/** Ids of the runs that succeeded or failed among the newest ones of a workflow, newest first. */
export async function listNewestEnded(
  sql: SqlClient,
  workflow_id: string,
  newest: number,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM (SELECT id, state, status FROM runs WHERE workflow_id = $1 ORDER BY id DESC LIMIT $2) r
      WHERE ${isInState('done', 'r.state')} AND r.status IN ('success', 'error') ORDER BY r.id DESC`,
    values: [workflow_id, newest],
  });
  return rows.map(({ id }) => id);
}

/** The run of a workflow that has an idempotency key. */
export async function runOfKey(
  sql: SqlClient,
  workflow_id: string,
  idempotency_key: string,
): Promise<string | undefined> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'run_by_key',
    text: 'SELECT id FROM runs WHERE workflow_id = $1 AND idempotency_key = $2',
    values: [workflow_id, idempotency_key],
  });
  return rows[0]?.id;
}

/** Runs that a process owns, whether it executes them or not. */
export async function runsOwnedBy(sql: SqlClient, worker_id: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'owned_runs',
    text: `SELECT id FROM runs WHERE ${isInState('running')} AND owner = $1`,
    values: [worker_id],
  });
  return rows.map(({ id }) => id);
}

/** How many runs that came from one run have not ended, up to a bound. */
export async function countOpenDescendants(
  sql: SqlClient,
  root_run_id: string,
  most: number,
): Promise<number> {
  const { rows } = await sql.query<{ open: number }>({
    name: 'open_descendants',
    text: `SELECT count(*)::int AS open FROM (
      SELECT 1 FROM runs WHERE root_run_id = $1 AND ${hasNotEnded()} LIMIT $2) found`,
    values: [root_run_id, most],
  });
  return rows[0]?.open ?? 0;
}

/** Queued runs, those that wait for a place included; each half has its index. */
const queuedSql = (of: string, most: string) => `SELECT least(${most}, count(*))::int AS queued FROM (
  (SELECT 1 FROM runs WHERE ${MAY_BE_CLAIMED}${of} LIMIT ${most})
  UNION ALL (SELECT 1 FROM runs WHERE ${IS_HELD}${of} LIMIT ${most})) found`;

/** How many runs wait to be claimed, up to a bound: a long queue must not become longer by being measured. */
export async function countQueued(sql: SqlClient, most: number): Promise<number> {
  const { rows } = await sql.query<{ queued: number }>({ text: queuedSql('', '$1::int'), values: [most] });
  return rows[0]?.queued ?? 0;
}

/** The same for one workflow. */
export async function countQueuedInWorkflow(
  sql: SqlClient,
  workflow_id: string,
  most: number,
): Promise<number> {
  const { rows } = await sql.query<{ queued: number }>({
    name: 'queued_of_workflow',
    text: queuedSql(' AND workflow_id = $1', '$2::int'),
    values: [workflow_id, most],
  });
  return rows[0]?.queued ?? 0;
}

/** Age in seconds of the first run in the queue that may be claimed; 0 when there is none. */
export async function oldestQueuedSeconds(sql: SqlClient): Promise<number> {
  const { rows } = await sql.query<{ seconds: number }>({
    text: `SELECT coalesce(extract(epoch FROM now() - started_at), 0)::float8 AS seconds FROM runs
      WHERE ${MAY_BE_CLAIMED} ORDER BY priority, virtual_time, id LIMIT 1`,
  });
  return rows[0]?.seconds ?? 0;
}
