import type { SqlClient } from '../../../database/sql-client.ts';
import { isDismissed, isInInbox } from '../run-state.ts';

/** @returns how many were in the inbox and are dismissed now */
export async function dismissRuns(
  sql: SqlClient,
  workflow_ids: readonly string[],
  run_ids: readonly string[],
): Promise<number> {
  const { row_count } = await sql.query({
    text: `UPDATE runs SET dismissed_at = now()
      WHERE id = ANY ($1::uuid[]) AND workflow_id = ANY ($2::uuid[]) AND ${isInInbox()}`,
    values: [run_ids, workflow_ids],
  });
  return row_count;
}

/** @returns how many were dismissed and are in the inbox again */
export async function restoreRuns(
  sql: SqlClient,
  workflow_ids: readonly string[],
  run_ids: readonly string[],
): Promise<number> {
  const { row_count } = await sql.query({
    text: `UPDATE runs SET dismissed_at = NULL
      WHERE id = ANY ($1::uuid[]) AND workflow_id = ANY ($2::uuid[]) AND ${isDismissed()}`,
    values: [run_ids, workflow_ids],
  });
  return row_count;
}
