import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { dropTestDatabases } from '../../apps/server/src/testing/test-server.ts';
import { isBuilt, root } from '../prepare.mjs';
import { makeBundleFolder } from './bundle-program.ts';

/**
 * Gives the databases and files of this run of the tests a common name and folder, and deletes those that are left when it
 * has ended. Processes that tests start are those of the build while it is of the present sources: from sources, they load
 * for seconds.
 */
export default function setUp({ config }: TestProject): () => Promise<void> {
  const run = randomBytes(4).toString('hex');
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tests-'));
  const programs = makeBundleFolder('programs');
  process.env['TEST_RUN'] = run;
  process.env['TEST_PROGRAMS'] = programs;
  process.env['TEST_FOLDER'] = folder;
  if (!config.watch && isBuilt()) process.env['TEST_BUILD'] = join(root, 'apps', 'server', 'dist');
  return async () => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(programs, { recursive: true, force: true });
    await dropTestDatabases(run);
  };
}
