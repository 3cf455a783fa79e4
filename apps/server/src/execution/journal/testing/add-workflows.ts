import { newId } from '../../../core/ids.ts';
import type { SqlClient } from '../../../database/sql-client.ts';

/** Workflows of one new account; the rows of their runs are up to the test. */
export async function addWorkflows(
  sql: SqlClient,
  ids: readonly string[],
  version_id = newId(),
): Promise<void> {
  const user_id = newId();
  await sql.query({
    text: `INSERT INTO users (id, email, password_hash, name) VALUES ($1, $2, '', '')`,
    values: [user_id, `${user_id}@example.com`],
  });
  await sql.query({
    text: `INSERT INTO workflows (id, name, owner_id, version_id) SELECT id, 'w', $2, $3 FROM unnest($1::uuid[]) AS t(id)`,
    values: [ids, user_id, version_id],
  });
}
