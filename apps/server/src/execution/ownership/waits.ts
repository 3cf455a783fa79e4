import type { SqlClient } from '../../database/sql-client.ts';
import { createValueEncoder } from '../journal/encoding/values.ts';
import { blobColumns, storeBlobs } from './enqueue.ts';
import type { WaitDecision } from './ownership.ts';
import { REACHED } from './queue-position.ts';

/** A run that goes on is queued at its former place, or further ahead when the queue has not got there. */
const TO_QUEUE = `state = 0, status = 'running', virtual_time = least(runs.virtual_time, ${REACHED})`;

const DECIDE = `WITH r AS MATERIALIZED (SELECT id, state FROM runs WHERE id = $1 FOR UPDATE),
d AS (
  UPDATE waits SET decided_at = now(), result = $4 FROM r
  WHERE waits.run_id = r.id AND waits.node_id = $2 AND waits.iteration = $3 AND waits.decided_at IS NULL AND r.state < 3
  RETURNING 1),
u AS (UPDATE runs SET ${TO_QUEUE} WHERE id = $1 AND state = 2 AND EXISTS (SELECT 1 FROM d)),
${storeBlobs(5, 'EXISTS (SELECT 1 FROM d)')}
SELECT (SELECT count(*) FROM d)::int AS decided,
  EXISTS (SELECT 1 FROM waits WHERE run_id = $1 AND node_id = $2 AND iteration = $3) AS known`;

/** The first decision wins; the run is queued in the same statement. */
export async function decideWait(
  sql: SqlClient,
  run_id: string,
  { node_id, iteration, result }: WaitDecision,
): Promise<'resumed' | 'decided' | 'unknown'> {
  const encoder = createValueEncoder();
  const text = encoder.encode(result);
  const { rows } = await sql.query<{ decided: number; known: boolean }>({
    name: 'decide_wait',
    text: DECIDE,
    values: [run_id, node_id, iteration, text, ...blobColumns(encoder)],
  });
  if (rows[0]?.decided === 1) return 'resumed';
  return rows[0]?.known ? 'decided' : 'unknown';
}

const DUE_AT_ONCE = 500;

// None of these joins: their plans are made while the tables are empty and kept, and a join that began with `runs` then
// read every run that ever was, once per second.

const DECIDE_DUE = `UPDATE waits SET decided_at = now()
WHERE decided_at IS NULL AND ctid = ANY(ARRAY(
  SELECT ctid FROM waits
  WHERE decided_at IS NULL AND due_at <= now() ORDER BY due_at LIMIT ${DUE_AT_ONCE} FOR UPDATE SKIP LOCKED))`;

/**
 * Queues waiting runs with a decision that they have not gone on with. Decisions that came while the run was executed, or
 * in the moment when it paused, are found here.
 */
const QUEUE_DECIDED = `UPDATE runs SET ${TO_QUEUE}
WHERE state = 2 AND id = ANY(ARRAY(SELECT run_id FROM waits WHERE decided_at IS NOT NULL AND NOT applied))
RETURNING id`;

const FORGET_ENDED = `UPDATE waits SET applied = true
WHERE decided_at IS NOT NULL AND NOT applied AND (SELECT state FROM runs WHERE runs.id = waits.run_id) = 3`;

/** Lets time decide what is due, and queues every waiting run that can go on. Returns their ids. */
export async function resumeDue(sql: SqlClient): Promise<string[]> {
  await sql.query({ name: 'decide_due_waits', text: DECIDE_DUE });
  const { rows } = await sql.query<{ id: string }>({ name: 'queue_decided_runs', text: QUEUE_DECIDED });
  await sql.query({ name: 'forget_ended_waits', text: FORGET_ENDED });
  return rows.map(({ id }) => id);
}
