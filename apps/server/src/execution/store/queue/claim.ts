import type { SqlClient } from '../../../database/sql-client.ts';
import type { ClaimedRun } from '../../model/queue.ts';
import { ENGINE_VERSION, STATE } from '../run-state.ts';
import { MAY_BE_CLAIMED } from './queue-position.ts';

/**
 * The attempt is counted before it starts, so that a run that ends its process is counted too. What this process adds to the
 * run has its own format.
 */
const CLAIM = `WITH w AS MATERIALIZED (SELECT id FROM workers WHERE id = $1 AND alive FOR KEY SHARE),
picked AS MATERIALIZED (
  SELECT id FROM runs
  WHERE ${MAY_BE_CLAIMED} AND (ready_at IS NULL OR ready_at <= now()) AND engine_version <= ${ENGINE_VERSION}
    AND workflow_id <> ALL($3::uuid[])
  ORDER BY priority, virtual_time, id LIMIT $2 FOR UPDATE SKIP LOCKED)
UPDATE runs SET state = ${STATE.running}, status = 'running', owner = w.id, attempt = least(runs.attempt + 1, 32767),
  engine_version = ${ENGINE_VERSION}
FROM w, picked WHERE runs.id = picked.id
RETURNING runs.id AS run_id, runs.workflow_id, runs.place_key, runs.attempt, runs.cancel_requested_at IS NOT NULL AS cancel_requested,
  runs.priority, runs.virtual_time::float8 AS place`;

interface ClaimRequest {
  readonly worker_id: string;
  readonly limit: number;
  readonly busy_workflows: readonly string[];
}

interface ClaimRow extends ClaimedRun {
  readonly priority: number;
  readonly place: number;
}

export async function claimRuns(
  sql: SqlClient,
  { worker_id, limit, busy_workflows }: ClaimRequest,
): Promise<ClaimedRun[]> {
  const { rows } = await sql.query<ClaimRow>({
    name: 'claim_runs',
    text: CLAIM,
    values: [worker_id, limit, busy_workflows],
  });
  return rows
    .toSorted((a, b) => a.priority - b.priority || a.place - b.place)
    .map(({ run_id, workflow_id, place_key, attempt, cancel_requested }) => ({
      run_id,
      workflow_id,
      place_key,
      attempt,
      cancel_requested,
    }));
}
