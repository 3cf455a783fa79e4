import { deleteInSlices } from '../../../database/delete-in-slices.ts';
import type { SqlClient } from '../../../database/sql-client.ts';

/** Messages of conversations whose run was never stored, because the process ended in between. */
export const deleteTurnsWithoutRun = (sql: SqlClient, before: Date): Promise<number> =>
  deleteInSlices(
    sql,
    `DELETE FROM portal_turns WHERE run_id IN (
      SELECT t.run_id FROM portal_turns t WHERE t.created_at < $1
        AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = t.run_id) LIMIT $2)`,
    [before.toISOString()],
  );
