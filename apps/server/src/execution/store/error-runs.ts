import type { SqlClient, TransactionalSql } from '../../database/sql-client.ts';
import type { ParkedReason, QueuedRun } from '../ownership/ownership.ts';
import { enqueueRun } from './queue/enqueue.ts';

/** A run that was given up, as far as its error workflow needs it. */
export interface GivenUpRun {
  readonly run_id: string;
  readonly workflow_id: string;
  readonly actor_id: string | null;
  /** Itself when no other run started it. */
  readonly root_run_id: string;
  readonly depth: number;
  /** Why it was given up. */
  readonly error: string;
}

interface GivenUpRow extends Omit<GivenUpRun, 'error'> {
  readonly outputs: string;
}

const MOST_AT_ONCE = 100;

/** Runs that were given up and whose error workflow has not been started, oldest first. */
export async function runsToReport(sql: SqlClient): Promise<GivenUpRun[]> {
  const { rows } = await sql.query<GivenUpRow>({
    name: 'runs_to_report',
    text: `SELECT id AS run_id, workflow_id, actor_id, coalesce(root_run_id, id) AS root_run_id, depth, outputs
      FROM runs WHERE error_run_due ORDER BY id LIMIT ${MOST_AT_ONCE}`,
  });
  return rows.map(({ outputs, ...run }) => ({ ...run, error: (JSON.parse(outputs) as ParkedReason).error }));
}

/**
 * Stores the run of the error workflow, or that there is none to start. Of several processes that do it for the same run
 * one does. Returns whether a run was queued.
 */
export function storeErrorRun(
  sql: TransactionalSql,
  given_up_id: string,
  run: QueuedRun | undefined,
): Promise<boolean> {
  return sql.transaction(async (tx) => {
    const { rows } = await tx.query({
      text: 'UPDATE runs SET error_run_due = NULL WHERE id = $1 AND error_run_due RETURNING id',
      values: [given_up_id],
    });
    if (rows.length === 0 || !run) return false;
    return (await enqueueRun(tx, run)).kind === 'queued';
  });
}
