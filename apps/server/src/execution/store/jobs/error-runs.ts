import type { JsonObject } from '@millrace/engine';
import { insertEvent } from '../../../database/platform-events.ts';
import type { SqlClient, TransactionalSql } from '../../../database/sql-client.ts';
import type { GivenUpConsequences, GivenUpRun, ParkedReason } from '../../model/queue.ts';
import { wasTrial } from '../encoding/run-options.ts';
import { enqueueRun } from '../queue/enqueue.ts';

interface GivenUpRow extends Omit<GivenUpRun, 'error'> {
  readonly outputs: string;
  readonly options: string | null;
}

/** Runs that are reported in one sweep. */
export const MOST_REPORTS = 100;
/** Before every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const isTrial = (options: string | null): boolean =>
  options !== null && wasTrial(JSON.parse(options) as JsonObject);

/** Runs after that id that were given up and whose error workflow has not been started, in the order of their ids. */
export async function runsToReport(sql: SqlClient, after = FIRST_ID): Promise<GivenUpRun[]> {
  const { rows } = await sql.query<GivenUpRow>({
    name: 'runs_to_report',
    text: `SELECT id AS run_id, workflow_id, actor_id, coalesce(root_run_id, id) AS root_run_id, depth, outputs,
        trigger_source, options, coalesce(execution_time_ms, 0)::float8 AS execution_time_ms,
        (extract(epoch FROM coalesce(finished_at, now())) * 1000)::float8 AS ended_at_ms,
        parent_run_id IS NULL AND NOT EXISTS (SELECT 1 FROM workflow_drafts d WHERE d.id = runs.version_id)
          AND NOT EXISTS (SELECT 1 FROM triggers t
            WHERE t.workflow_id = runs.workflow_id AND t.node_id = runs.trigger_node_id AND t.kind = 'event') AS is_reportable
      FROM runs WHERE error_run_due AND id > $1::uuid ORDER BY id LIMIT ${MOST_REPORTS}`,
    values: [after],
  });
  return rows.map(({ outputs, options, ...run }) => ({
    ...run,
    is_reportable: run.is_reportable && !isTrial(options),
    error: (JSON.parse(outputs) as ParkedReason).error,
  }));
}

/**
 * Stores the run of the error workflow, or that there is none to start, and the event. Of several processes that
 * do it for the same run one does. Returns whether a run was queued.
 */
export function storeErrorRun(
  sql: TransactionalSql,
  given_up_id: string,
  { run, event }: GivenUpConsequences,
): Promise<boolean> {
  return sql.transaction(async (tx) => {
    const { rows } = await tx.query({
      text: 'UPDATE runs SET error_run_due = NULL WHERE id = $1 AND error_run_due RETURNING id',
      values: [given_up_id],
    });
    if (rows.length === 0) return false;
    if (event) await insertEvent(tx, event);
    if (!run) return false;
    return (await enqueueRun(tx, run)).kind === 'queued';
  });
}
