import type { SqlClient } from '../../../database/sql-client.ts';
import { hasNotEnded, isInState } from '../run-state.ts';

/** Deletions that are not finished, the oldest first. */
export async function openDeletions(sql: SqlClient): Promise<string[]> {
  const { rows } = await sql.query<{ workflow_id: string }>({
    text: 'SELECT workflow_id FROM run_deletions ORDER BY requested_at, workflow_id',
  });
  return rows.map(({ workflow_id }) => workflow_id);
}

const NO_OWNER = '00000000-0000-0000-0000-000000000000';

/** One look into the index for each workflow that has runs, however many runs it has. */
const WITHOUT_WORKFLOW = `WITH RECURSIVE w AS (
  (SELECT workflow_id FROM runs ORDER BY workflow_id LIMIT 1)
  UNION ALL
  SELECT (SELECT r.workflow_id FROM runs r WHERE r.workflow_id > w.workflow_id ORDER BY r.workflow_id LIMIT 1)
  FROM w WHERE w.workflow_id IS NOT NULL)
INSERT INTO run_deletions (workflow_id, workflow_name, owner_id)
SELECT w.workflow_id, '', '${NO_OWNER}' FROM w
WHERE w.workflow_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM workflows WHERE workflows.id = w.workflow_id)
ON CONFLICT DO NOTHING`;

/**
 * Notes for deletion what was stored of workflows after they were deleted: a run that was only in memory at that moment gets
 * its row when it ends. No one is shown these deletions.
 *
 * @returns of how many workflows
 */
export async function noteRunsWithoutWorkflow(sql: SqlClient): Promise<number> {
  return (await sql.query({ text: WITHOUT_WORKFLOW })).row_count;
}

/** Counts what there is to delete, once per deletion. */
export async function countDoomedRuns(sql: SqlClient, workflow_id: string): Promise<void> {
  await sql.query({
    text: `UPDATE run_deletions SET runs_total = (SELECT count(*) FROM runs WHERE workflow_id = $1)
      WHERE workflow_id = $1 AND runs_total IS NULL`,
    values: [workflow_id],
  });
}

/** Open runs first, so that none of them starts. The row of the deletion says how many are gone in the same statement. */
const SLICE = `WITH d AS MATERIALIZED (
  SELECT workflow_id FROM run_deletions WHERE workflow_id = $1 FOR UPDATE SKIP LOCKED),
doomed AS MATERIALIZED (
  SELECT id FROM (
    SELECT r.id FROM d JOIN runs r USING (workflow_id) WHERE r.workflow_id = $1 AND r.${hasNotEnded()}
    UNION ALL
    SELECT r.id FROM d JOIN runs r USING (workflow_id) WHERE r.workflow_id = $1 AND r.${isInState('done')}) r
  LIMIT $2),
runs_gone AS (DELETE FROM runs WHERE id IN (SELECT id FROM doomed) RETURNING 1),
causes_gone AS (DELETE FROM trigger_causes WHERE (workflow_id, node_id, cause) IN (
  SELECT c.workflow_id, c.node_id, c.cause FROM d JOIN trigger_causes c USING (workflow_id)
  WHERE c.workflow_id = $1 LIMIT $2) RETURNING 1)
UPDATE run_deletions SET runs_deleted = runs_deleted + (SELECT count(*) FROM runs_gone)
FROM d WHERE run_deletions.workflow_id = d.workflow_id
RETURNING (SELECT count(*) FROM runs_gone)::int + (SELECT count(*) FROM causes_gone)::int AS rows_deleted`;

/**
 * Deletes up to `slice` runs, and as many causes, of a deleted workflow.
 *
 * @returns how many rows were deleted; undefined if another process does it or it is finished
 */
export async function deleteSlice(
  sql: SqlClient,
  { workflow_id, slice }: { workflow_id: string; slice: number },
): Promise<number | undefined> {
  const { rows } = await sql.query<{ rows_deleted: number }>({ text: SLICE, values: [workflow_id, slice] });
  return rows[0]?.rows_deleted;
}

/** Ends the deletion if nothing is left. */
export async function finishDeletion(sql: SqlClient, workflow_id: string): Promise<void> {
  await sql.query({
    text: `DELETE FROM run_deletions WHERE workflow_id = $1
      AND NOT EXISTS (SELECT 1 FROM runs WHERE workflow_id = $1)
      AND NOT EXISTS (SELECT 1 FROM trigger_causes WHERE workflow_id = $1)`,
    values: [workflow_id],
  });
}
