import type { Json } from '@millrace/engine';
import type { SqlClient } from '../../../database/sql-client.ts';
import type { FoundWait, WaitDecision, WaitDecisionAt, WaitPlace } from '../../model/wait.ts';
import { parameterLayout } from '../encoding/columns.ts';
import { storeBlobs } from '../encoding/store-blobs.ts';
import { createValueEncoder } from '../encoding/values.ts';
import { readStored } from '../load.ts';
import { reached } from '../queue/queue-position.ts';
import { hasNotEnded, isInState, STATE } from '../run-state.ts';
import { BLOB_COLUMNS } from '../tables.ts';

/**
 * A run that continues is queued at its former place, or further ahead when the queue has not got there. While it was in no
 * memory its time limit stood still.
 */
const TO_QUEUE = `state = ${STATE.queued}, status = 'running', virtual_time = least(runs.virtual_time, ${reached('runs.priority')}),
    deadline_at = runs.deadline_at + coalesce(now() - runs.suspended_at, interval '0'), suspended_at = NULL`;

const PARAMETERS = parameterLayout({
  run_id: 'value',
  node_id: 'value',
  iteration: 'value',
  key: 'value',
  decision: 'value',
  result: 'value',
  run_input: 'value',
  blobs: BLOB_COLUMNS,
});
const { sql: at } = PARAMETERS;
const IS_WAIT = `waits.run_id = ${at.run_id} AND waits.node_id = ${at.node_id} AND waits.iteration = ${at.iteration}
    AND waits.key = ${at.key}`;

const DECIDE = `WITH r AS MATERIALIZED (SELECT id, state FROM runs WHERE id = ${at.run_id} FOR UPDATE),
d AS (
  UPDATE waits SET decided_at = now(), decision = ${at.decision}, result = ${at.result} FROM r
  WHERE waits.run_id = r.id AND ${IS_WAIT} AND waits.decided_at IS NULL AND ${hasNotEnded('r.state')}
  RETURNING r.id),
u AS (
  UPDATE runs SET ${TO_QUEUE}, input = coalesce(${at.run_input}, runs.input)
  WHERE id = ${at.run_id} AND ${isInState('waiting')} AND EXISTS (SELECT 1 FROM d)),
${storeBlobs({ rows: at.blobs, of: 'd' })}
SELECT (SELECT count(*) FROM d)::int AS decided, EXISTS (SELECT 1 FROM waits WHERE ${IS_WAIT}) AS known`;

/** The first decision wins; a run that is in no memory is queued in the same statement. */
export async function decideWait(
  sql: SqlClient,
  run_id: string,
  { node_id, iteration, key, decision, data, run_input }: WaitDecision,
): Promise<'resumed' | 'decided' | 'unknown'> {
  const encoder = createValueEncoder();
  const result = encoder.encode(data);
  const input = run_input === undefined ? null : encoder.encode(run_input);
  const blobs = encoder.takeBlobs();
  const { rows } = await sql.query<{ decided: number; known: boolean }>({
    name: 'decide_wait',
    text: DECIDE,
    values: PARAMETERS.values({ run_id, node_id, iteration, key, decision, result, run_input: input, blobs }),
  });
  if (rows[0]?.decided === 1) return 'resumed';
  return rows[0]?.known ? 'decided' : 'unknown';
}

const DUE_AT_ONCE = 5_000;

// None of these joins: their plans are made while the tables are empty and kept, and a join that began with `runs` then
// read every run that ever was, once per second.

const DECIDE_DUE = `UPDATE waits SET decided_at = now(), decision = 'timed_out'
WHERE decided_at IS NULL AND ctid = ANY(ARRAY(
  SELECT ctid FROM waits
  WHERE decided_at IS NULL AND due_at <= now() ORDER BY due_at LIMIT ${DUE_AT_ONCE} FOR UPDATE SKIP LOCKED))`;

/**
 * Queues waiting runs with a decision that they have not continued with. Decisions that came in the moment when the run left
 * memory are found here.
 */
const QUEUE_DECIDED = `UPDATE runs SET ${TO_QUEUE}
WHERE ${isInState('waiting')} AND id = ANY(ARRAY(SELECT run_id FROM waits WHERE decided_at IS NOT NULL AND NOT applied))
RETURNING id`;

const FORGET_ENDED = `UPDATE waits SET applied = true
WHERE decided_at IS NOT NULL AND NOT applied AND (SELECT ${isInState('done')} FROM runs WHERE runs.id = waits.run_id)`;

/** Lets time decide what is due, and queues every waiting run that can continue. Returns their ids. */
export async function resumeDue(sql: SqlClient): Promise<string[]> {
  await sql.query({ name: 'decide_due_waits', text: DECIDE_DUE });
  const { rows } = await sql.query<{ id: string }>({ name: 'queue_decided_runs', text: QUEUE_DECIDED });
  await sql.query({ name: 'forget_ended_waits', text: FORGET_ENDED });
  return rows.map(({ id }) => id);
}

/** Runs that the process executes now and that have a decision which they have not left memory with since. */
export async function listDecidedRuns(sql: SqlClient, worker_id: string): Promise<string[]> {
  const { rows } = await sql.query<{ run_id: string }>({
    name: 'decided_runs_of',
    text: `SELECT DISTINCT run_id FROM waits WHERE decided_at IS NOT NULL AND NOT applied
      AND (SELECT ${isInState('running')} AND owner = $1 FROM runs WHERE runs.id = waits.run_id)`,
    values: [worker_id],
  });
  return rows.map(({ run_id }) => run_id);
}

interface DecidedRow extends WaitPlace {
  readonly decision: string;
  readonly result: string | null;
  readonly decided_at_ms: number;
}

/** The decisions of a run so far. */
export async function readDecisions(sql: SqlClient, run_id: string): Promise<WaitDecisionAt[]> {
  const { rows } = await sql.query<DecidedRow>({
    name: 'read_decisions',
    text: `SELECT node_id, iteration, key, decision, result, (extract(epoch FROM decided_at) * 1000)::float8 AS decided_at_ms
      FROM waits WHERE run_id = $1 AND decision IS NOT NULL`,
    values: [run_id],
  });
  const results = await readStored(sql, [null, ...rows.map(({ result }) => result)]);
  return rows.map(({ node_id, iteration, key, decision, decided_at_ms }, index) => {
    const data = (results[index + 1] ?? null) as Json;
    return { node_id, iteration, key, decision, data, decided_at_ms };
  });
}

/** Waits for runs that have ended or are gone. */
const DECIDE_PARENTS = (which: string) => `WITH d AS (
  UPDATE waits SET decided_at = now(), decision = 'ended' WHERE decided_at IS NULL AND ${which}
    AND coalesce((SELECT NOT (${hasNotEnded('c.state')}) FROM runs c WHERE c.id = waits.child_run_id), true)
  RETURNING run_id),
u AS (UPDATE runs SET ${TO_QUEUE} WHERE ${isInState('waiting')} AND id = ANY(ARRAY(SELECT run_id FROM d)))
SELECT DISTINCT run_id FROM d`;
const ENDED_CHILD = DECIDE_PARENTS('child_run_id = $1');
const ENDED_CHILDREN = DECIDE_PARENTS('child_run_id IS NOT NULL');

/** Lets a run that has ended decide the waits for it; one that has not ended decides nothing. Returns the runs that waited. */
export async function decideForChild(sql: SqlClient, child_run_id: string): Promise<string[]> {
  const values = [child_run_id];
  const { rows } = await sql.query<{ run_id: string }>({
    name: 'decide_for_child',
    text: ENDED_CHILD,
    values,
  });
  return rows.map(({ run_id }) => run_id);
}

/** The same for ends whose process died before it could say so, and for those that no process executed. */
export async function decideForEndedChildren(sql: SqlClient): Promise<string[]> {
  const { rows } = await sql.query<{ run_id: string }>({ name: 'decide_for_children', text: ENDED_CHILDREN });
  return rows.map(({ run_id }) => run_id);
}

interface FoundRow extends Omit<FoundWait, 'payload' | 'decisions'> {
  readonly payload: string;
  readonly decisions: string | null;
}

/** The wait that an address belongs to; of a run that has ended it counts as decided. */
export async function findWait(sql: SqlClient, token_hash: string): Promise<FoundWait | undefined> {
  const { rows } = await sql.query<FoundRow>({
    name: 'find_wait',
    text: `SELECT w.run_id, r.workflow_id, r.version_id, w.node_id, w.iteration, w.key, w.kind, w.payload, w.decisions,
      w.decision, coalesce(w.due_at <= now(), false) AS is_due,
      w.decided_at IS NOT NULL OR NOT (${hasNotEnded('r.state')}) AS is_decided
      FROM waits w JOIN runs r ON r.id = w.run_id WHERE w.token_hash = $1`,
    values: [token_hash],
  });
  const [row] = rows;
  if (!row) return undefined;
  const [, payload] = await readStored(sql, [null, row.payload]);
  return {
    ...row,
    payload: payload as Json,
    decisions: row.decisions === null ? [] : (JSON.parse(row.decisions) as string[]),
  };
}
