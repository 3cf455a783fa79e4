import type { SqlClient, Statement } from '../../../database/sql-client.ts';
import type { CancelOptions } from '../../model/queue.ts';
import { ERROR_RUN_KEY } from '../../model/run.ts';
import { endedColumns, insertEnds } from '../analytics/run-ends.ts';
import { setDuration } from '../encoding/duration.ts';
import { cutCallerId } from '../encoding/lineage.ts';
import { hasNotEnded, isInState, STATE } from '../run-state.ts';
import { CANCELLED_OUTCOME, CANCELLED_OUTPUTS, closeWaits, ELAPSED_MS } from './requeue/give-up.ts';

const IS_RUNNING = isInState('running', 'runs.state');

/** Runs that end with their parent. */
const WAITED_FOR = 'child.parent_run_id = tree.id';
/** All below: a run that was started without waiting has no parent, but its key names the run whose node started it. */
const ALL_BELOW = `child.root_run_id = (SELECT coalesce(root_run_id, id) FROM runs WHERE id = $1)
    AND (child.parent_run_id = tree.id OR ${cutCallerId('child')} = tree.id::text)`;

const ONE = '= $1';
const EACH = '= ANY ($1::uuid[])';

const cancelSql = (roots: string, below: string) => `WITH RECURSIVE tree AS (
  SELECT id FROM runs WHERE id ${roots} AND ${hasNotEnded()}
  UNION SELECT child.id FROM runs child JOIN tree ON ${below} WHERE ${hasNotEnded('child.state')}),
u AS (
  UPDATE runs SET cancel_requested_at = coalesce(runs.cancel_requested_at, now()),
    state = CASE WHEN ${IS_RUNNING} THEN ${STATE.running} ELSE ${STATE.done} END,
    status = CASE WHEN ${IS_RUNNING} THEN runs.status ELSE 'cancelled' END,
    outputs = CASE WHEN ${IS_RUNNING} THEN runs.outputs ELSE ${CANCELLED_OUTPUTS} END,
    outcome = CASE WHEN ${IS_RUNNING} THEN runs.outcome ELSE $2 END,
    ${setDuration(`CASE WHEN ${IS_RUNNING} THEN NULL ELSE ${ELAPSED_MS} END`)},
    finished_at = CASE WHEN ${IS_RUNNING} THEN NULL ELSE now() END
  WHERE id IN (SELECT id FROM tree) AND ${hasNotEnded()}
  RETURNING id, ${endedColumns()}),
counted AS (${insertEnds('u')}),
ended AS (SELECT id AS run_id FROM u WHERE ${isInState('done')}),
${closeWaits('ended')}
SELECT id AS run_id, ${isInState('running')} AS running FROM u
UNION ALL SELECT NULL, NULL WHERE EXISTS (SELECT 1 FROM runs WHERE id ${roots})`;

const CANCEL = cancelSql(ONE, WAITED_FOR);
const CANCEL_ALL = cancelSql(ONE, ALL_BELOW);
const CANCEL_EACH = cancelSql(EACH, WAITED_FOR);

export interface CancelResult {
  /** Will be ended by the processes that execute them. */
  readonly running: readonly string[];
  /** Ended by the statement. */
  readonly ended: readonly string[];
  readonly known: boolean;
}

async function cancel(sql: SqlClient, statement: Statement): Promise<CancelResult> {
  const { rows } = await sql.query<{ run_id: string | null; running: boolean }>(statement);
  const changed = rows.flatMap((row) => (row.run_id === null ? [] : [{ ...row, run_id: row.run_id }]));
  return {
    running: changed.filter(({ running }) => running).map((row) => row.run_id),
    ended: changed.filter(({ running }) => !running).map((row) => row.run_id),
    known: rows.length > 0,
  };
}

/** Asks a run and the runs below it to end. */
export const cancelTree = (
  sql: SqlClient,
  run_id: string,
  { include_dispatched = false }: CancelOptions = {},
): Promise<CancelResult> =>
  cancel(sql, {
    name: include_dispatched ? 'cancel_all_below' : 'cancel_runs',
    text: include_dispatched ? CANCEL_ALL : CANCEL,
    values: [run_id, CANCELLED_OUTCOME],
  });

/** Asks several runs, each with the runs below it that it waits for, to end. */
export const cancelTrees = (sql: SqlClient, run_ids: readonly string[]): Promise<CancelResult> =>
  cancel(sql, { text: CANCEL_EACH, values: [run_ids, CANCELLED_OUTCOME] });

/** A run that an error workflow has for the failure of another one names that as its parent and begins at its end. */
const ENDS_WITH_PARENT = `c.parent_run_id IS NOT NULL AND c.root_run_id IS NOT NULL
  AND NOT starts_with(coalesce(c.idempotency_key, ''), '${ERROR_RUN_KEY}')`;

/**
 * Open runs whose parent run has ended, so that no one waits for them. A run cancels them at its end; a process that is lost
 * in between, or a run that is given up, leaves them.
 */
export async function runsLeftByParents(sql: SqlClient): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'runs_left_by_parents',
    text: `SELECT c.id FROM runs c WHERE ${hasNotEnded('c.state')} AND c.cancel_requested_at IS NULL AND ${ENDS_WITH_PARENT}
      AND (SELECT ${isInState('done', 'p.state')} FROM runs p WHERE p.id = c.parent_run_id)`,
  });
  return rows.map(({ id }) => id);
}

/** Runs of this process whose cancellation was requested. */
export async function requestedCancels(sql: SqlClient, worker_id: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'requested_cancels',
    text: `SELECT id FROM runs WHERE ${isInState('running')} AND owner = $1 AND cancel_requested_at IS NOT NULL`,
    values: [worker_id],
  });
  return rows.map(({ id }) => id);
}
