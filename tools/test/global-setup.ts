import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropTestDatabases } from '../../apps/server/src/testing/test-server.ts';

/** Gives the databases and files of this run of the tests a common name and folder, and deletes those that are left when it has ended. */
export default function setUp(): () => Promise<void> {
  const run = randomBytes(4).toString('hex');
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tests-'));
  process.env['TEST_RUN'] = run;
  process.env['TEST_FOLDER'] = folder;
  return async () => {
    rmSync(folder, { recursive: true, force: true });
    await dropTestDatabases(run);
  };
}
