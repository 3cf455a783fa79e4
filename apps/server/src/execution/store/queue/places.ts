import type { SqlClient, TransactionalSql } from '../../../database/sql-client.ts';
import { hasNotEnded, isInState } from '../run-state.ts';

/**
 * Places of workflows that limit how many of their runs are under way at once, on all processes. A run that something asked
 * for and left is stored as held; it gets its place and can be claimed in one transaction. A run that a caller waits for has
 * its place before it begins.
 */

/** When a held run is ready: once it has a place. */
export const HELD_MS = Number.POSITIVE_INFINITY;
const IS_HELD = `${isInState('queued')} AND ready_at = 'infinity'`;

/** Sets these locks apart from those of others. */
const LOCK_CLASS = 460_024;

/** A run that has ended or waits leaves its place; a process that is gone has left all that it held. */
const IS_TAKEN = `CASE WHEN p.run_id IS NULL
    THEN EXISTS (SELECT 1 FROM workers w WHERE w.id = p.worker_id AND w.alive)
    ELSE EXISTS (SELECT 1 FROM runs r WHERE r.id = p.run_id
      AND (${isInState('queued', 'r.state')} OR ${isInState('running', 'r.state')})) END`;

const TAKEN = `(SELECT count(*) FROM run_places p WHERE p.workflow_id = $1 AND ${IS_TAKEN})`;

/** A statement sees what was stored when it began, so the places are counted behind a lock. */
function withLock<T>(
  sql: TransactionalSql,
  workflow_id: string,
  work: (tx: SqlClient) => Promise<T>,
): Promise<T> {
  return sql.transaction(async (tx) => {
    await tx.query({
      name: 'lock_places',
      text: 'SELECT pg_advisory_xact_lock($1::int, hashtext($2))',
      values: [LOCK_CLASS, workflow_id],
    });
    return work(tx);
  });
}

const TAKE = `INSERT INTO run_places (id, workflow_id, worker_id)
  SELECT $2::uuid, $1::uuid, $3::uuid WHERE ${TAKEN} < $4::int ON CONFLICT DO NOTHING`;

interface WantedPlace {
  readonly id: string;
  readonly workflow_id: string;
  readonly worker_id: string;
  /** Runs of the workflow that may be under way. */
  readonly limit: number;
}

/** A place for a run that a caller waits for, kept until it is left. @returns false where all are taken */
export function takePlace(
  sql: TransactionalSql,
  { id, workflow_id, worker_id, limit }: WantedPlace,
): Promise<boolean> {
  return withLock(sql, workflow_id, async (tx) => {
    const values = [workflow_id, id, worker_id, limit];
    return (await tx.query({ name: 'take_place', text: TAKE, values })).row_count > 0;
  });
}

export async function leavePlace(sql: SqlClient, id: string): Promise<void> {
  await sql.query({ name: 'leave_place', text: 'DELETE FROM run_places WHERE id = $1', values: [id] });
}

/** Places that no run can return to. A waiting run returns to its own place. */
const LEFT = `p.workflow_id = $1 AND CASE WHEN p.run_id IS NULL
    THEN NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = p.worker_id AND w.alive)
    ELSE NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = p.run_id AND ${hasNotEnded('r.state')}) END`;

/** Where the limit was taken back, every held run is admitted. */
const ADMIT = `WITH swept AS (DELETE FROM run_places p WHERE ${LEFT}),
next AS (
  SELECT id FROM runs WHERE ${IS_HELD} AND workflow_id = $1
  ORDER BY priority, virtual_time, id
  LIMIT (SELECT CASE WHEN w.concurrency_limit IS NULL THEN NULL ELSE greatest(0, w.concurrency_limit - ${TAKEN}) END
    FROM workflows w WHERE w.id = $1)
  FOR UPDATE SKIP LOCKED),
ready AS (UPDATE runs SET ready_at = NULL FROM next WHERE runs.id = next.id RETURNING runs.id)
INSERT INTO run_places (id, workflow_id, run_id) SELECT id, $1::uuid, id FROM ready
ON CONFLICT DO NOTHING RETURNING run_id`;

/** Gives held runs of a workflow the places that are free, first in the queue first. @returns how many can be claimed now */
export function admitHeld(sql: TransactionalSql, workflow_id: string): Promise<number> {
  return withLock(sql, workflow_id, async (tx) => {
    const { rows } = await tx.query({ name: 'admit_held', text: ADMIT, values: [workflow_id] });
    return rows.length;
  });
}

/** Workflows with held runs. */
export async function workflowsWithHeld(sql: SqlClient): Promise<string[]> {
  const { rows } = await sql.query<{ workflow_id: string }>({
    name: 'workflows_with_held',
    text: `SELECT DISTINCT workflow_id FROM runs WHERE ${IS_HELD}`,
  });
  return rows.map(({ workflow_id }) => workflow_id);
}
