import type { Database } from '../database/database.ts';
import { openPostgresForTest } from '../execution/journal/testing/databases.ts';
import { openEmbeddedForTest } from './embedded-database.ts';

/**
 * A migrated database of its own, for tests that do not care which: embedded, or with `TEST_DATABASE=postgres` a copy of a
 * template on the test server.
 */
export async function openTestDatabase(): Promise<Database> {
  if (process.env['TEST_DATABASE'] === 'postgres') return (await openPostgresForTest()).database;
  return openEmbeddedForTest();
}
