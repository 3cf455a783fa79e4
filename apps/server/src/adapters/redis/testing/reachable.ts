import { randomBytes } from 'node:crypto';
import { createClient } from 'redis';
import { describe } from 'vitest';

export const TEST_REDIS = process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379';

/** Keys of one test, so that tests do not meet on the server. */
export const testPrefix = (): string => `millrace-test:${randomBytes(6).toString('hex')}:`;

async function isReachable(): Promise<boolean> {
  const client = createClient({
    url: TEST_REDIS,
    socket: { connectTimeout: 1_000, reconnectStrategy: false },
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    client.destroy();
    return true;
  } catch {
    return false;
  }
}

const reachable = await isReachable();

/** A suite that needs Redis; skipped by name where there is none, but not in CI. */
export function describeOnRedis(subject: string, suite: () => void): void {
  const may_skip = process.env['CI'] !== 'true';
  describe.skipIf(!reachable && may_skip)(`${subject} (Redis)`, () => {
    suite();
  });
}
