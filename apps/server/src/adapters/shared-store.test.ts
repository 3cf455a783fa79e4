import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MEGABYTE } from '@millrace/engine/units';
import { expect, test, vi } from 'vitest';
import { describeOnPostgres, openPostgresForTest, silent } from '../execution/journal/testing/databases.ts';
import { describeSharedStore } from '../ports/coordination/shared-store.conformance.ts';
import { openTestDatabase } from '../testing/test-database.ts';
import { createMemoryStore } from './memory/shared-store.ts';
import { createTableStore } from './postgres/table-store.ts';
import { createRedisStore } from './redis/shared-store.ts';
import { describeOnRedis, TEST_REDIS, testPrefix } from './redis/testing/reachable.ts';

describeSharedStore('memory', () => {
  let now = Date.now();
  return Promise.resolve({
    store: createMemoryStore(() => now),
    wait: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  });
});

describeSharedStore('table of the embedded database', async () => {
  const database = await openTestDatabase();
  const store = createTableStore(database.sql, Date.now);
  const close = async () => {
    await store.close();
    await database.close();
  };
  return { store: { ...store, close }, wait: (ms) => sleep(ms) };
});

describeOnPostgres('table', () => {
  describeSharedStore('table of PostgreSQL', async () => {
    const { database } = await openPostgresForTest();
    const store = createTableStore(database.sql, Date.now);
    const close = async () => {
      await store.close();
      await database.close();
    };
    return { store: { ...store, close }, wait: (ms) => sleep(ms) };
  });
});

test('§5.6: processes on one database share what they have for the streams of each other, however large it is', async () => {
  const database = await openTestDatabase();
  const [here, there] = [createTableStore(database.sql, Date.now), createTableStore(database.sql, Date.now)];
  const large = 'x'.repeat(2 * MEGABYTE);
  await here.set('mcp:stream:a', '1', 60);
  await here.set('mcp:stream:b', '2', 60);
  await here.set('mcp:answer:a', large, 60);
  expect(await there.get('mcp:stream:a')).toBe('1');
  expect(await there.get('mcp:answer:a')).toBe(large);
  await there.forget('mcp:stream:a');
  expect(await here.get('mcp:stream:a')).toBeUndefined();
  expect(await here.get('mcp:stream:b')).toBe('2');
  await Promise.all([here.close(), there.close()]);
  await database.close();
});

describeOnRedis('store', () => {
  describeSharedStore('Redis', async () => {
    const fallback = createMemoryStore(Date.now);
    const store = createRedisStore({ url: TEST_REDIS, log: silent, prefix: testPrefix(), fallback });
    await vi.waitUntil(
      () => store.set('probe', '1', 1).then(async () => (await store.get('probe')) === '1'),
      {
        timeout: 20_000,
      },
    );
    return { store, wait: (ms) => sleep(ms) };
  });

  test('two processes share one window and one cache', async () => {
    const options = { url: TEST_REDIS, log: silent, prefix: testPrefix() };
    const open = () => createRedisStore({ ...options, fallback: createMemoryStore(Date.now) });
    const [here, there] = [open(), open()];
    await expect.poll(async () => here.set('k', 'v', 60).then(() => there.get('k'))).toBe('v');
    await here.countInWindow('w', 1, 60);
    expect(await there.countInWindow('w', 1, 60)).toMatchObject({ allowed: false });
    await Promise.all([here.close(), there.close()]);
  });
});

test('a Redis that accepts and never answers costs 50 ms a few times, then nothing; limits hold per process', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const fallback = createMemoryStore(Date.now);
  const store = createRedisStore({ url: `redis://127.0.0.1:${port}`, log: silent, fallback });
  const waited_ms: number[] = [];
  for (let call = 0; call < 50; call++) {
    const started = performance.now();
    expect(await store.get('x')).toBeUndefined();
    waited_ms.push(performance.now() - started);
  }
  expect(waited_ms.filter((ms) => ms > 45).length).toBeLessThan(12);
  const counts = [];
  for (let call = 0; call < 3; call++) counts.push(await store.countInWindow('w', 2, 60));
  expect(counts.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  await store.close();
  server.close();
});

test('without Redis everything answers at once', async () => {
  const fallback = createMemoryStore(Date.now);
  const store = createRedisStore({ url: 'redis://127.0.0.1:1', log: silent, fallback });
  await store.set('x', '1', 60);
  expect(await store.get('x')).toBeUndefined();
  await store.forget('x');
  expect(await store.countInWindow('w', 1, 60)).toMatchObject({ allowed: true });
  await store.close();
});
