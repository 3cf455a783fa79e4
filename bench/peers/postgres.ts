import { onServer } from '../../apps/server/src/testing/test-server.ts';
import { createOwnDatabase, type OwnDatabase } from '../support/own-database.ts';

/** @throws Error when no PostgreSQL server can be reached */
export async function ownDatabase(): Promise<OwnDatabase> {
  const database = await createOwnDatabase();
  if (!database) throw new Error('no PostgreSQL server found');
  return database;
}

/** The number in the only cell of the answer. */
export const countOn = (url: string, statement: string): Promise<number> =>
  onServer(url, async (client) => {
    const { rows } = await client.query<{ count: string }>(statement);
    return Number(rows[0]?.count);
  });
