import type { Database } from '../database/database.ts';
import { openPostgresForTest } from '../execution/journal/testing/databases.ts';
import { openEmbeddedForTest } from './embedded-database.ts';
import { isPostgresReachable } from './test-server.ts';

/**
 * A migrated database of its own, for tests that do not care which: on the test server, where a copy takes a tenth of the
 * time that an embedded engine needs to open; embedded where there is no server. `TEST_DATABASE=embedded` takes the latter everywhere.
 */
export async function openTestDatabase(): Promise<Database> {
  if (!isPostgresReachable || process.env['TEST_DATABASE'] === 'embedded') return openEmbeddedForTest();
  return (await openPostgresForTest()).database;
}
