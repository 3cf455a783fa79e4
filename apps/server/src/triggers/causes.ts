import type { SqlClient } from '../database/sql-client.ts';

/** Rows of one statement, so that none of them takes long. */
const SLICE = 5_000;

/** Forgets the causes whose time is over. Resolves to how many there were. */
export async function purgeCauses(sql: SqlClient): Promise<number> {
  let removed = 0;
  for (;;) {
    const { row_count } = await sql.query({
      text: `DELETE FROM trigger_causes WHERE (workflow_id, node_id, cause) IN
        (SELECT workflow_id, node_id, cause FROM trigger_causes WHERE expires_at <= now() LIMIT $1)`,
      values: [SLICE],
    });
    removed += row_count;
    if (row_count < SLICE) return removed;
  }
}
