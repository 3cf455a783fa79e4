import type { CardRun } from '@millrace/contracts';
import type { SqlClient } from '../../database/sql-client.ts';
import { hasNotEnded, isInState } from './run-state.ts';

/** Condition on a run `r`. */
export const WAITS_FOR_REVIEW = `(${isInState('waiting', 'r.state')} AND EXISTS (
  SELECT 1 FROM waits w WHERE w.run_id = r.id AND w.kind = 'review' AND w.decided_at IS NULL))`;

/** Status of a run `r` that has not ended, as those see it who follow it from outside. */
export const SHOWN_PROGRESS = `CASE WHEN ${WAITS_FOR_REVIEW} THEN 'waiting_review' ELSE 'running' END`;

export interface RunProgress {
  readonly ended: boolean;
  readonly status: CardRun['status'];
}

/** How far a run is: that it has ended, or whether it waits for a review. Undefined where it was deleted. */
export async function readProgress(sql: SqlClient, run_id: string): Promise<RunProgress | undefined> {
  const { rows } = await sql.query<RunProgress>({
    text: `SELECT NOT (${hasNotEnded('r.state')}) AS ended,
        CASE WHEN ${hasNotEnded('r.state')} THEN ${SHOWN_PROGRESS} WHEN r.status IN ('success', 'cancelled') THEN r.status
          ELSE 'error' END AS status
      FROM runs r WHERE r.id = $1`,
    values: [run_id],
  });
  return rows[0];
}
