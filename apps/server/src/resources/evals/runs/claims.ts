import type { EvalTextMode } from '@millrace/contracts';
import { and, eq } from 'drizzle-orm';
import type { Db } from '../../../database/database.ts';
import { evalResults, evalRuns } from '../../../database/schema/index.ts';
import type { SqlClient } from '../../../database/sql-client.ts';
import type { Claim, ClaimTable } from '../../../execution/claimed-work/claims.ts';
import type { ResultRow, RunRow } from './queries.ts';

/** Results that still need a model. */
const OPEN = `status IN ('pending', 'answered')`;

export const RUN_CLAIMS: ClaimTable = {
  name: 'eval_runs',
  due_at: 'next_look_at',
  is_open: 'finished_at IS NULL',
  sets: `status = 'running', started_at = coalesce(started_at, now())`,
};

export async function claimedRun(db: Db, { id, claim_id }: Claim): Promise<RunRow | undefined> {
  const [row] = await db
    .select()
    .from(evalRuns)
    .where(and(eq(evalRuns.id, id), eq(evalRuns.claim_id, claim_id)));
  return row;
}

/** Ids of the results that still need a model, in the order of the run. */
export async function openResults(sql: SqlClient, { id }: Claim): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT id FROM eval_results WHERE run_id = $1 AND ${OPEN} ORDER BY run_order`,
    values: [id],
  });
  return rows.map((row) => row.id);
}

export interface Turn {
  readonly id: string;
  readonly status: 'pending' | 'answered';
  readonly actual_output: string | null;
  readonly model_id: string;
  readonly prompt_index: number;
  readonly input: string;
  readonly input_mode: EvalTextMode;
  readonly expected_output: string;
  readonly expected_mode: EvalTextMode;
}

/** A result when it is its turn; undefined where it needs no model any more, or the run is no longer this process's. */
export async function readTurn(sql: SqlClient, claim: Claim, result_id: string): Promise<Turn | undefined> {
  const { rows } = await sql.query<Turn>({
    text: `SELECT r.id, r.status, r.actual_output, r.model_id, r.prompt_index, c.input, c.input_mode,
        c.expected_output, c.expected_mode
      FROM eval_results r JOIN eval_run_cases c ON c.id = r.run_case_id JOIN eval_runs x ON x.id = r.run_id
      WHERE r.id = $1 AND r.${OPEN} AND x.id = $2 AND x.claim_id = $3 AND x.finished_at IS NULL`,
    values: [result_id, claim.id, claim.claim_id],
  });
  return rows[0];
}

/** Stores what a model has said. The first to say so counts: a result that has left its state stays as it is. */
export async function storeResult(
  db: Db,
  { id, status }: Pick<Turn, 'id' | 'status'>,
  change: Partial<ResultRow>,
): Promise<void> {
  await db
    .update(evalResults)
    .set(change)
    .where(and(eq(evalResults.id, id), eq(evalResults.status, status)));
}

/** Ends a run whose results are all there. It has failed when no answer was scored; then it says why the first was not. */
export async function finishRun(sql: SqlClient, { id, claim_id }: Claim): Promise<void> {
  await sql.query({
    text: `UPDATE eval_runs SET finished_at = now(), status = CASE WHEN has_score THEN 'completed' ELSE 'failed' END,
        error = CASE WHEN has_score THEN NULL ELSE
          (SELECT error FROM eval_results WHERE run_id = $1 AND error IS NOT NULL ORDER BY run_order LIMIT 1) END
      FROM (SELECT EXISTS (SELECT 1 FROM eval_results WHERE run_id = $1 AND status = 'completed') AS has_score) found
      WHERE id = $1 AND claim_id = $2 AND finished_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM eval_results WHERE run_id = $1 AND ${OPEN})`,
    values: [id, claim_id],
  });
}

/** Notes which run of a workflow gives the answer, so that it can be looked up while it works and when it has failed. */
export const noteExecution = async (
  sql: SqlClient,
  result_id: string,
  execution_id: string,
): Promise<void> => {
  await sql.query({
    text: 'UPDATE eval_results SET execution_id = $2 WHERE id = $1 AND execution_id IS DISTINCT FROM $2',
    values: [result_id, execution_id],
  });
};

/** Whether the run was cancelled or deleted, so that what it has started is to be ended too. */
export async function isGivenUp(sql: SqlClient, run_id: string): Promise<boolean> {
  const { rows } = await sql.query<{ status: string }>({
    text: 'SELECT status FROM eval_runs WHERE id = $1',
    values: [run_id],
  });
  return !rows[0] || rows[0].status === 'cancelled';
}
