import type { SqlClient } from '../../../database/sql-client.ts';
import { hasNotEnded } from '../run-state.ts';

export interface DeferredAnswer {
  readonly run_id: string;
  readonly node_type: string;
  readonly sealed: string;
}

export async function insertAnswer(
  sql: SqlClient,
  { expires_at_ms, ...answer }: DeferredAnswer & { expires_at_ms: number },
): Promise<void> {
  await sql.query({
    name: 'keep_deferred_answer',
    text: `INSERT INTO deferred_answers (run_id, node_type, sealed, expires_at, ready_at)
      VALUES ($1, $2, $3, $4, now()) ON CONFLICT DO NOTHING`,
    values: [answer.run_id, answer.node_type, answer.sealed, new Date(expires_at_ms).toISOString()],
  });
}

/** A run that is still going this long before the deadline of its answer gets a short notice instead. */
const LAST_SECONDS = 30;
/** Delay before the next attempt, also when the process that claimed the answer died; doubles with each attempt. */
const RETRY_SECONDS = 5;

/**
 * Claims the answers of runs that have ended, or whose deadline is near; other processes skip them until the next attempt.
 * Answers past their deadline are deleted, as platforms no longer accept them.
 */
export async function claimAnswers(sql: SqlClient, at_once: number): Promise<DeferredAnswer[]> {
  const { rows } = await sql.query<DeferredAnswer>({
    name: 'claim_deferred_answers',
    text: `WITH expired AS (DELETE FROM deferred_answers WHERE expires_at <= now())
      UPDATE deferred_answers SET tries = tries + 1,
        ready_at = now() + make_interval(secs => ${RETRY_SECONDS} * 2 ^ least(tries, 6))
      WHERE run_id IN (
        SELECT d.run_id FROM deferred_answers d LEFT JOIN runs r ON r.id = d.run_id
        WHERE d.ready_at <= now() AND d.expires_at > now()
          AND (NOT (${hasNotEnded('r.state')}) OR d.expires_at <= now() + make_interval(secs => ${LAST_SECONDS}))
        LIMIT $1 FOR UPDATE OF d SKIP LOCKED)
      RETURNING run_id, node_type, sealed`,
    values: [at_once],
  });
  return rows;
}

export const deleteAnswer = (sql: SqlClient, run_id: string) =>
  sql.query({ text: 'DELETE FROM deferred_answers WHERE run_id = $1', values: [run_id] });
