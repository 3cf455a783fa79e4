import { randomBytes } from 'node:crypto';
import { dropTestDatabases } from '../../apps/server/src/testing/test-server.ts';

/** Gives the databases of this run of the tests a common name, and drops those that are left when it has ended. */
export default function setUp(): () => Promise<void> {
  const run = randomBytes(4).toString('hex');
  process.env['TEST_RUN'] = run;
  return () => dropTestDatabases(run);
}
