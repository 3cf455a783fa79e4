import type { SqlClient, TransactionalSql } from '../../../database/sql-client.ts';
import type { PlaceGroup } from '../../model/queue.ts';
import { hasNotEnded, isInState } from '../run-state.ts';
import { IS_HELD, placeOfAdmitted } from './queue-position.ts';

/**
 * Places of workflows that limit how many of their runs are under way at once, on all processes. A run that something asked
 * for and left is stored as held; it gets its place and can be claimed in one transaction. A run that a caller waits for has
 * its place before it begins.
 */

/** When a held run is ready: once it has a place. */
export const HELD_MS = Number.POSITIVE_INFINITY;

/** Sets these locks apart from those of others. */
const LOCK_CLASS = 460_024;

/** A run that has ended or waits leaves its place; a process that is gone has left all that it held. */
const IS_TAKEN = `CASE WHEN p.run_id IS NULL
    THEN EXISTS (SELECT 1 FROM workers w WHERE w.id = p.worker_id AND w.alive)
    ELSE EXISTS (SELECT 1 FROM runs r WHERE r.id = p.run_id
      AND (${isInState('queued', 'r.state')} OR ${isInState('running', 'r.state')})) END`;

const selectTakenCount = (workflow: string, key: string) =>
  `(SELECT count(*) FROM run_places p WHERE p.workflow_id = ${workflow} AND p.place_key = ${key} AND ${IS_TAKEN})`;
/** Taken places of the group that `$1` and `$2` name. */
export const TAKEN = selectTakenCount('$1', '$2');
/** Held runs of that group. */
export const IS_HELD_HERE = `${IS_HELD} AND workflow_id = $1 AND place_key = $2`;

/** To be called in a transaction: a statement sees what was stored when it began, so places are counted behind a lock. */
export async function lockPlaces(tx: SqlClient, workflow_id: string): Promise<void> {
  await tx.query({
    name: 'lock_places',
    text: 'SELECT pg_advisory_xact_lock($1::int, hashtext($2))',
    values: [LOCK_CLASS, workflow_id],
  });
}

function withLock<T>(
  sql: TransactionalSql,
  workflow_id: string,
  work: (tx: SqlClient) => Promise<T>,
): Promise<T> {
  return sql.transaction(async (tx) => {
    await lockPlaces(tx, workflow_id);
    return work(tx);
  });
}

/** A place counts as taken, too, where an earlier attempt has taken it and its answer was lost. */
const TAKE = `WITH taken AS (
  INSERT INTO run_places (id, workflow_id, place_key, worker_id)
  SELECT $3::uuid, $1::uuid, $2, $4::uuid WHERE ${TAKEN} < $5::int ON CONFLICT DO NOTHING RETURNING id)
SELECT ((SELECT count(*) FROM taken) + (SELECT count(*) FROM run_places WHERE id = $3::uuid))::int AS taken,
  (SELECT count(*) FROM (SELECT 1 FROM runs WHERE ${IS_HELD_HERE} LIMIT $6) held)::int AS waiting`;

interface WantedPlace extends PlaceGroup {
  readonly id: string;
  readonly worker_id: string;
  /** Runs of the group that may be under way. */
  readonly limit: number;
  /** Waiting runs are counted up to this. */
  readonly most_counted: number;
}

/** A place for a run that a caller waits for, kept until it is left. @returns how many runs wait where all are taken */
export function takePlace(
  sql: TransactionalSql,
  { id, workflow_id, place_key, worker_id, limit, most_counted }: WantedPlace,
): Promise<'taken' | { readonly waiting: number }> {
  return withLock(sql, workflow_id, async (tx) => {
    const values = [workflow_id, place_key, id, worker_id, limit, most_counted];
    const { rows } = await tx.query<{ taken: number; waiting: number }>({
      name: 'take_place',
      text: TAKE,
      values,
    });
    return rows[0]?.taken === 1 ? 'taken' : { waiting: rows[0]?.waiting ?? 0 };
  });
}

export async function leavePlace(sql: SqlClient, id: string): Promise<void> {
  await sql.query({ name: 'leave_place', text: 'DELETE FROM run_places WHERE id = $1', values: [id] });
}

/** Places that no run can return to. A waiting run returns to its own place. */
const LEFT = `p.workflow_id = $1 AND CASE WHEN p.run_id IS NULL
    THEN NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = p.worker_id AND w.alive)
    ELSE NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = p.run_id AND ${hasNotEnded('r.state')}) END`;

/**
 * Where the limit was taken back, every held run is admitted; of a workflow that is being deleted none is. The time limit of
 * a run does not count while it is held.
 */
const ADMIT = `WITH swept AS (DELETE FROM run_places p WHERE ${LEFT}),
picked AS (
  SELECT id, virtual_time FROM runs WHERE ${IS_HELD_HERE}
  ORDER BY virtual_time, id
  LIMIT (SELECT coalesce(max(CASE WHEN w.concurrency_limit IS NULL THEN ${Number.MAX_SAFE_INTEGER}
    ELSE greatest(0, w.concurrency_limit - ${TAKEN}) END), 0) FROM workflows w WHERE w.id = $1)
  FOR UPDATE SKIP LOCKED),
next AS (SELECT id, row_number() OVER (ORDER BY virtual_time, id) - 1 AS nth FROM picked),
ready AS (
  UPDATE runs SET ready_at = NULL,
    virtual_time = ${placeOfAdmitted('$1', { priority: 'runs.priority', nth: 'next.nth' })},
    deadline_at = runs.deadline_at + greatest(interval '0', now() - runs.started_at)
  FROM next WHERE runs.id = next.id RETURNING runs.id),
placed AS (
  INSERT INTO run_places (id, workflow_id, place_key, run_id) SELECT ready.id, w.id, $2, ready.id
  FROM ready JOIN workflows w ON w.id = $1 AND w.concurrency_limit IS NOT NULL
  ON CONFLICT DO NOTHING)
SELECT count(*)::int AS admitted FROM ready`;

/** Gives held runs of a group the places that are free, first in the queue first. @returns how many can be claimed now */
export function admitHeld(sql: TransactionalSql, { workflow_id, place_key }: PlaceGroup): Promise<number> {
  return withLock(sql, workflow_id, async (tx) => {
    const { rows } = await tx.query<{ admitted: number }>({
      name: 'admit_held',
      text: ADMIT,
      values: [workflow_id, place_key],
    });
    return rows[0]?.admitted ?? 0;
  });
}

/** Held runs are counted up to this. */
const MOST_COUNTED = 10_000;

const COUNT = `SELECT
  (SELECT count(*) FROM run_places p WHERE p.workflow_id = $1 AND ${IS_TAKEN})::int AS places_taken,
  (SELECT count(*) FROM (SELECT 1 FROM runs WHERE ${IS_HELD} AND workflow_id = $1 LIMIT ${MOST_COUNTED}) held)::int AS waiting`;

/** Of all groups of a workflow. */
export async function readPlaces(
  sql: SqlClient,
  workflow_id: string,
): Promise<{ places_taken: number; waiting: number }> {
  const { rows } = await sql.query<{ places_taken: number; waiting: number }>({
    text: COUNT,
    values: [workflow_id],
  });
  return rows[0] ?? { places_taken: 0, waiting: 0 };
}

/**
 * Groups with held runs and a free place. Each step from one group to the next is one look into the index, however many runs
 * are held.
 */
const GROUPS = `WITH RECURSIVE held(workflow_id, place_key) AS (
  (SELECT workflow_id, place_key FROM runs WHERE ${IS_HELD} ORDER BY workflow_id, place_key LIMIT 1)
  UNION ALL
  SELECT next.workflow_id, next.place_key FROM held CROSS JOIN LATERAL (
    SELECT r.workflow_id, r.place_key FROM runs r
    WHERE ${IS_HELD} AND (r.workflow_id, r.place_key) > (held.workflow_id, held.place_key)
    ORDER BY r.workflow_id, r.place_key LIMIT 1) next)
SELECT held.workflow_id, held.place_key FROM held
WHERE (SELECT w.concurrency_limit IS NULL OR w.concurrency_limit > ${selectTakenCount('held.workflow_id', 'held.place_key')}
  FROM workflows w WHERE w.id = held.workflow_id)`;

export async function groupsToAdmit(sql: SqlClient): Promise<readonly PlaceGroup[]> {
  const { rows } = await sql.query<PlaceGroup>({ name: 'groups_to_admit', text: GROUPS });
  return rows.map(({ workflow_id, place_key }) => ({ workflow_id, place_key }));
}
