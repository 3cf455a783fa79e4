import type { Database } from '../database/database.ts';
import { openPostgresForTest } from '../execution/journal/testing/databases.ts';
import { openEmbeddedForTest } from './embedded-database.ts';
import { isPostgresReachable } from './test-server.ts';

/**
 * A migrated database of its own, for tests that do not care which: a copy of a template on the test server, which takes
 * half the time, or embedded where no server answers or with `TEST_DATABASE=embedded`.
 */
export async function openTestDatabase(): Promise<Database> {
  if (!isPostgresReachable || process.env['TEST_DATABASE'] === 'embedded') return openEmbeddedForTest();
  return (await openPostgresForTest()).database;
}
