import type { SqlClient } from '../../database/sql-client.ts';
import { faultPoint } from '../journal/fault-point.ts';
import type { ParkedReason } from './ownership.ts';

/** A run is given up after so many takeovers without a new fact in its journal, or so many in all. */
export const MOST_STALLS = 3;
export const MOST_TAKEOVERS = 5;

const PARKED: ParkedReason = {
  error: 'The process that executed this run was lost repeatedly; the run was given up. Its input is kept.',
  reason: 'worker_lost',
};
const parkedOutcome = JSON.stringify({
  shape: 'labels',
  failure: { kind: 'internal', message: PARKED.error, details: { reason: PARKED.reason } },
  failed_node: null,
});

/** How a run looks that was asked to end before or after it was executed. */
export const CANCELLED_OUTCOME = JSON.stringify({
  shape: 'labels',
  failure: { kind: 'cancelled', message: 'The run was cancelled.' },
  failed_node: null,
});
export const ELAPSED_MS = `least(2147483647, greatest(0, extract(epoch FROM now() - runs.started_at) * 1000))::int`;

const MARK_EXPIRED = `UPDATE workers SET alive = false
  WHERE id IN (SELECT id FROM workers WHERE alive AND lease_until < now() FOR UPDATE) RETURNING id`;
const MARK_OTHERS = 'UPDATE workers SET alive = false WHERE alive AND id <> $1 RETURNING id';

/**
 * A statement of its own, after the one that marks workers dead: a batch or claim that was under way then has committed
 * by now and is seen. It also picks up what a sweeper that died in between has left.
 */
const REQUEUE = `WITH orphan AS MATERIALIZED (
  SELECT r.id,
    (SELECT count(*) FROM steps s WHERE s.run_id = r.id AND s.kind <> 'intent')::int AS facts
  FROM runs r
  WHERE r.state = 1 AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = r.owner AND w.alive)
  FOR UPDATE OF r SKIP LOCKED),
judged AS MATERIALIZED (
  SELECT r.id, o.facts, CASE WHEN o.facts > r.progress THEN 0 ELSE r.stalls + 1 END AS stalls,
    CASE WHEN r.cancel_requested_at IS NOT NULL THEN 'cancelled'
      WHEN r.takeovers + 1 >= ${MOST_TAKEOVERS} THEN 'parked'
      WHEN o.facts <= r.progress AND r.stalls + 1 >= ${MOST_STALLS} THEN 'parked'
      ELSE 'queued' END AS verdict
  FROM orphan o JOIN runs r ON r.id = o.id)
UPDATE runs SET owner = NULL, recovered = true, takeovers = runs.takeovers + 1, stalls = j.stalls, progress = j.facts,
  state = CASE j.verdict WHEN 'queued' THEN 0 ELSE 3 END,
  status = CASE j.verdict WHEN 'queued' THEN 'running' WHEN 'parked' THEN 'error' ELSE 'cancelled' END,
  outputs = CASE j.verdict WHEN 'parked' THEN $1 WHEN 'cancelled' THEN '{}' END,
  outcome = CASE j.verdict WHEN 'parked' THEN $2 WHEN 'cancelled' THEN $3 END,
  execution_time_ms = CASE WHEN j.verdict <> 'queued' THEN ${ELAPSED_MS} END,
  finished_at = CASE WHEN j.verdict <> 'queued' THEN now() END
FROM judged j WHERE runs.id = j.id AND runs.state = 1
RETURNING runs.id AS run_id, j.verdict`;

export interface TakenOver {
  readonly run_id: string;
  readonly verdict: 'queued' | 'parked' | 'cancelled';
}

export interface TakeoverResult {
  readonly dead_workers: readonly string[];
  readonly runs: readonly TakenOver[];
}

/**
 * Puts runs of dead processes back at their original position in the queue.
 *
 * @param sole_owner this process' id when no other can be alive, as with the embedded database
 */
export async function takeOver(sql: SqlClient, sole_owner?: string): Promise<TakeoverResult> {
  const dead = await sql.query<{ id: string }>(
    sole_owner === undefined
      ? { name: 'mark_expired_workers', text: MARK_EXPIRED }
      : { text: MARK_OTHERS, values: [sole_owner] },
  );
  if (dead.rows.length > 0) faultPoint('during_takeover');
  const { rows } = await sql.query<TakenOver>({
    name: 'requeue_orphans',
    text: REQUEUE,
    values: [JSON.stringify(PARKED), parkedOutcome, CANCELLED_OUTCOME],
  });
  return { dead_workers: dead.rows.map(({ id }) => id), runs: rows };
}
