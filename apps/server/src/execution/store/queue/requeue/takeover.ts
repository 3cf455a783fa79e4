import { faultPoint } from '../../../../core/fault-point.ts';
import type { SqlClient } from '../../../../database/sql-client.ts';
import { isInState } from '../../run-state.ts';
import {
  CANCELLED_OUTCOME,
  COUNT_FACTS,
  type JudgedRun,
  MOST_STALLS,
  MOST_TAKEOVERS,
  parkedTexts,
  requeueJudged,
} from './give-up.ts';

/**
 * One that froze within a transaction holds its row; the next sweep looks at it again, and the runs of the others do not
 * wait meanwhile.
 */
const MARK_EXPIRED = `UPDATE workers SET alive = false
  WHERE id IN (SELECT id FROM workers WHERE alive AND lease_until < now() FOR UPDATE SKIP LOCKED) RETURNING id`;
const MARK_OTHERS = 'UPDATE workers SET alive = false WHERE alive AND id <> $1 RETURNING id';

/**
 * A statement of its own, after the one that marks workers dead: a batch or claim that was under way then has committed
 * by now and is seen. It also picks up what a sweeper that died in between has left.
 */
const REQUEUE = `WITH orphan AS MATERIALIZED (
  SELECT r.id, ${COUNT_FACTS} AS facts
  FROM runs r
  WHERE ${isInState('running', 'r.state')} AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = r.owner AND w.alive)
  FOR UPDATE OF r SKIP LOCKED),
judged AS MATERIALIZED (
  SELECT r.id, o.facts, CASE WHEN o.facts > r.progress THEN 0 ELSE r.stalls + 1 END AS stalls,
    CASE WHEN o.facts > r.progress THEN 0 ELSE r.releases END AS releases,
    CASE WHEN r.cancel_requested_at IS NOT NULL THEN 'cancelled'
      WHEN r.takeovers + 1 >= ${MOST_TAKEOVERS} THEN 'parked'
      WHEN o.facts <= r.progress AND r.stalls + 1 >= ${MOST_STALLS} THEN 'parked'
      ELSE 'queued' END AS verdict
  FROM orphan o JOIN runs r ON r.id = o.id)${requeueJudged({ set: 'recovered = true, takeovers = runs.takeovers + 1', outputs: '$1', parked: '$2', cancelled: '$3' })}`;

export interface TakeoverResult {
  readonly dead_workers: readonly string[];
  readonly runs: readonly JudgedRun[];
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
  const { outputs, outcome } = parkedTexts('worker_lost');
  const { rows } = await sql.query<JudgedRun>({
    name: 'requeue_orphans',
    text: REQUEUE,
    values: [outputs, outcome, CANCELLED_OUTCOME],
  });
  return { dead_workers: dead.rows.map(({ id }) => id), runs: rows };
}
