import type { SqlClient } from '../../database/sql-client.ts';
import { CANCELLED_OUTCOME, ELAPSED_MS } from './takeover.ts';

const CANCEL = `WITH RECURSIVE tree AS (
  SELECT id FROM runs WHERE id = $1 AND state < 3
  UNION SELECT child.id FROM runs child JOIN tree ON child.parent_run_id = tree.id WHERE child.state < 3),
u AS (
  UPDATE runs SET cancel_requested_at = coalesce(runs.cancel_requested_at, now()),
    state = CASE WHEN runs.state = 1 THEN 1 ELSE 3 END,
    status = CASE WHEN runs.state = 1 THEN runs.status ELSE 'cancelled' END,
    outputs = CASE WHEN runs.state = 1 THEN runs.outputs ELSE '{}' END,
    outcome = CASE WHEN runs.state = 1 THEN runs.outcome ELSE $2 END,
    execution_time_ms = CASE WHEN runs.state = 1 THEN NULL ELSE ${ELAPSED_MS} END,
    finished_at = CASE WHEN runs.state = 1 THEN NULL ELSE now() END
  WHERE id IN (SELECT id FROM tree) AND state < 3
  RETURNING id, state),
z AS (
  UPDATE waits SET applied = true, decided_at = coalesce(decided_at, now()) FROM u
  WHERE waits.run_id = u.id AND u.state = 3 AND NOT applied)
SELECT id AS run_id, state = 1 AS running FROM u
UNION ALL SELECT NULL, NULL WHERE EXISTS (SELECT 1 FROM runs WHERE id = $1)`;

export interface CancelResult {
  /** Told to end, by whoever executes them. */
  readonly running: readonly string[];
  /** Ended by the statement. */
  readonly ended: readonly string[];
  readonly known: boolean;
}

/** Asks a run and everything that it started to end. */
export async function cancelTree(sql: SqlClient, run_id: string): Promise<CancelResult> {
  const { rows } = await sql.query<{ run_id: string | null; running: boolean }>({
    name: 'cancel_runs',
    text: CANCEL,
    values: [run_id, CANCELLED_OUTCOME],
  });
  const changed = rows.flatMap((row) => (row.run_id === null ? [] : [{ ...row, run_id: row.run_id }]));
  return {
    running: changed.filter(({ running }) => running).map((row) => row.run_id),
    ended: changed.filter(({ running }) => !running).map((row) => row.run_id),
    known: rows.length > 0,
  };
}

/** Runs of this process that somebody asked to end. */
export async function requestedCancels(sql: SqlClient, worker_id: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'requested_cancels',
    text: 'SELECT id FROM runs WHERE state = 1 AND owner = $1 AND cancel_requested_at IS NOT NULL',
    values: [worker_id],
  });
  return rows.map(({ id }) => id);
}
