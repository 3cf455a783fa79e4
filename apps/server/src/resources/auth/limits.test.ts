import { createClient } from 'redis';
import { afterAll, describe, expect, it } from 'vitest';
import { createMemoryLimiters } from '../../adapters/memory/attempt-limiters.ts';
import { tableLimiters } from '../../adapters/postgres/attempt-limiters.ts';
import { redisLimiters } from '../../adapters/redis/attempt-limiters.ts';
import { describeOnRedis, TEST_REDIS, testPrefix } from '../../adapters/redis/testing/reachable.ts';
import { openTestDatabase } from '../../testing/test-database.ts';
import { purgeAttempts, requireAttempt } from './limits.ts';

const RULE = { name: `test-${process.pid}-${Date.now()}`, attempts: 3, window_seconds: 60, ban_seconds: 600 };

const database = await openTestDatabase();
afterAll(() => database.close());

describe('attempt limits', () => {
  it.each([
    ['of this process', () => createMemoryLimiters()],
    ['of the database', () => tableLimiters(database.sql)],
  ])(
    '%s refuse the attempt after the last allowed one, for the time of the ban, per key',
    async (_where, limiters) => {
      const limiter = limiters()(RULE);
      const answers = [];
      for (let n = 0; n < 5; n++) answers.push(await limiter.count('1.2.3.4'));
      expect(answers).toEqual([undefined, undefined, undefined, 600, expect.any(Number)]);
      expect(await limiter.count('1.2.3.5')).toBeUndefined();
    },
  );

  it.each([
    ['of this process', () => createMemoryLimiters()],
    ['of the database', () => tableLimiters(database.sql)],
  ])('%s return the state of a key without counting', async (_where, limiters) => {
    const limiter = limiters()(RULE);
    for (let n = 0; n < 5; n++)
      expect(await limiter.state('1.2.3.6')).toEqual({ left: 3, wait_seconds: undefined });
    for (let n = 0; n < 3; n++) await limiter.count('1.2.3.6');
    expect(await limiter.state('1.2.3.6')).toEqual({ left: 0, wait_seconds: undefined });
    await limiter.count('1.2.3.6');
    expect(await limiter.state('1.2.3.6')).toEqual({ left: 0, wait_seconds: 600 });
  });

  it('in the database are removed when their ban has ended', async () => {
    await tableLimiters(database.sql)(RULE).count('1.2.3.7');
    const left = async () =>
      (await database.sql.query({ text: 'SELECT key FROM attempt_counts' })).rows.length;
    await purgeAttempts(database.sql, Date.now());
    expect(await left()).toBeGreaterThan(0);
    await purgeAttempts(database.sql, Date.now() + 601_000);
    expect(await left()).toBe(0);
  });

  it('refuse with Retry-After', async () => {
    const refused = requireAttempt({ count: () => Promise.resolve(42) }, '1.2.3.4');
    await expect(refused).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
      headers: { 'Retry-After': '42' },
    });
  });

  it('keep counting in this process while the shared store cannot be reached', async () => {
    const broken = { eval: () => Promise.reject(new Error('gone')), multi: () => ({}) };
    const limiter = redisLimiters(broken)(RULE);
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await limiter.count('1.2.3.4'));
    expect(answers).toEqual([undefined, undefined, undefined, 600]);
  });

  it('do not wait for a shared store that does not answer: after a few attempts it is left alone', async () => {
    let asked = 0;
    const silent = {
      eval: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
      multi: () => ({}),
    };
    const limiter = redisLimiters(silent)({ ...RULE, attempts: 1_000 });
    for (let n = 0; n < 20; n++) expect(await limiter.count('1.2.3.4')).toBeUndefined();
    expect(asked).toBeLessThan(10);
  });
});

describeOnRedis('attempt limits', () => {
  it('§8.2 stand at every process as they do at the one that counted', async () => {
    const clients = [createClient({ url: TEST_REDIS }), createClient({ url: TEST_REDIS })];
    await Promise.all(clients.map((client) => client.connect()));
    const rule = { ...RULE, name: testPrefix(), attempts: 2 };
    const [one, other] = clients.map((client) => redisLimiters(client)(rule));
    await one?.count('1.2.3.4');
    expect(await other?.state('1.2.3.4')).toEqual({ left: 1, wait_seconds: undefined });
    await other?.count('1.2.3.4');
    expect(await one?.count('1.2.3.4')).toBe(600);
    expect(await other?.state('1.2.3.4')).toEqual({ left: 0, wait_seconds: 600 });
    await clients[0]?.del(`attempts:${rule.name}:1.2.3.4`);
    for (const client of clients) client.destroy();
  });
});
