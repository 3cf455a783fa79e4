import type { SqlClient, TransactionalSql } from '../../../../database/sql-client.ts';
import type { AbandonReason } from '../../../model/run.ts';
import { isInState } from '../../run-state.ts';
import {
  CANCELLED_OUTCOME,
  COUNT_FACTS,
  type JudgedRun,
  MOST_RELEASES,
  PAUSE_BEFORE_NEXT,
  parkedTexts,
  requeueJudged,
} from './give-up.ts';

const HELD = `runs r WHERE r.owner = $1 AND ${isInState('running', 'r.state')}`;
const CANCELLED = 'r.cancel_requested_at IS NOT NULL';
const REQUEUED = requeueJudged({
  set: `ready_at = ${PAUSE_BEFORE_NEXT}`,
  outputs: '$2',
  parked: '$3',
  cancelled: '$4',
});

/** A run that was handed over has done nothing wrong: its counters stay as they are. */
const HAND_OVER = (among: string) => `WITH judged AS MATERIALIZED (
  SELECT r.id, r.progress AS facts, r.stalls, r.releases,
    CASE WHEN ${CANCELLED} THEN 'cancelled' ELSE 'queued' END AS verdict
  FROM ${HELD}${among} FOR UPDATE)${REQUEUED}`;

const GIVE_BACK = `WITH held AS MATERIALIZED (
  SELECT r.id, ${COUNT_FACTS} AS facts FROM ${HELD} AND r.id = ANY($5::uuid[]) FOR UPDATE),
judged AS MATERIALIZED (
  SELECT r.id, h.facts, CASE WHEN h.facts > r.progress THEN 0 ELSE r.stalls END AS stalls,
    CASE WHEN h.facts > r.progress THEN 0 ELSE r.releases + 1 END AS releases,
    CASE WHEN ${CANCELLED} THEN 'cancelled'
      WHEN h.facts <= r.progress AND r.releases + 1 >= ${MOST_RELEASES} THEN 'parked'
      ELSE 'queued' END AS verdict
  FROM held h JOIN runs r ON r.id = h.id)${REQUEUED}`;

export interface ReleaseRequest {
  readonly worker_id: string;
  /** Absent: all that the process owns. */
  readonly run_ids?: readonly string[];
  /** `failed` counts: what is claimed and given back again and again without a new fact is given up. */
  readonly why: AbandonReason;
}

/** Gives runs back at their original position. One that was asked to end, ends. */
export async function releaseRuns(
  sql: SqlClient,
  { worker_id, run_ids, why }: ReleaseRequest,
): Promise<readonly JudgedRun[]> {
  const { outputs, outcome } = parkedTexts('no_progress');
  const values = [worker_id, outputs, outcome, CANCELLED_OUTCOME];
  if (!run_ids) return (await sql.query<JudgedRun>({ text: HAND_OVER(''), values })).rows;
  const text = why === 'failed' ? GIVE_BACK : HAND_OVER(' AND r.id = ANY($5::uuid[])');
  return (await sql.query<JudgedRun>({ text, values: [...values, run_ids] })).rows;
}

const AWAIT_BATCHES = 'SELECT 1 FROM workers WHERE id = $1 FOR UPDATE';
const MARK_GONE = 'UPDATE workers SET alive = false WHERE id = $1';

/**
 * Releases all runs of a process that shuts down cleanly and marks it as gone, so that no other process waits for its lease to
 * expire. A runner may still be active: a batch that is under way is stored first, so that the next owner reads it; a later
 * batch waits, finds the process gone and writes nothing.
 */
export function resign(sql: TransactionalSql, worker_id: string): Promise<readonly JudgedRun[]> {
  return sql.transaction(async (tx) => {
    await tx.query({ text: AWAIT_BATCHES, values: [worker_id] });
    const released = await releaseRuns(tx, { worker_id, why: 'handed_over' });
    await tx.query({ text: MARK_GONE, values: [worker_id] });
    return released;
  });
}
