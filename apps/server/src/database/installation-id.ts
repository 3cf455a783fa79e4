import { newId } from '../core/ids.ts';
import type { SqlClient } from './sql-client.ts';

async function storedId(sql: SqlClient): Promise<string | undefined> {
  const { rows } = await sql.query<{ id: string }>({ text: 'SELECT id FROM installation' });
  return rows[0]?.id;
}

/** Shared by all processes on a database; the first one creates it. */
export async function installationId(sql: SqlClient): Promise<string> {
  const known = await storedId(sql);
  if (known !== undefined) return known;
  // Processes that start at the same time all try; one row wins.
  await sql.query({
    text: 'INSERT INTO installation (id) VALUES ($1) ON CONFLICT DO NOTHING',
    values: [newId()],
  });
  const id = await storedId(sql);
  if (id === undefined) throw new Error('the table "installation" is empty');
  return id;
}
