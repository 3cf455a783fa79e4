import { deleteInSlices } from '../database/delete-in-slices.ts';
import type { SqlClient } from '../database/sql-client.ts';

/** Forgets the causes whose time is over. Resolves to how many there were. */
export const purgeCauses = (sql: SqlClient): Promise<number> =>
  deleteInSlices(
    sql,
    `DELETE FROM trigger_causes WHERE (workflow_id, node_id, cause) IN
      (SELECT workflow_id, node_id, cause FROM trigger_causes WHERE expires_at <= now() LIMIT $1)`,
  );
