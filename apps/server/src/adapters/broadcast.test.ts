import { describeOnPostgres, openPostgresForTest, silent } from '../execution/journal/testing/databases.ts';
import { type BroadcastPair, describeBroadcast } from '../ports/coordination/broadcast.conformance.ts';
import { openTestDatabase } from '../testing/test-database.ts';
import { createMemoryBroadcast } from './memory/broadcast.ts';
import { createNotifyBroadcast } from './postgres/broadcast.ts';
import { createRedisBroadcast } from './redis/broadcast.ts';
import { describeOnRedis, TEST_REDIS, testPrefix } from './redis/testing/reachable.ts';

describeBroadcast('memory', () => {
  const broadcast = createMemoryBroadcast();
  return Promise.resolve({ here: broadcast, there: broadcast, close: () => broadcast.close() });
});

describeBroadcast('notifications of the embedded database', async () => {
  const database = await openTestDatabase();
  const broadcast = await createNotifyBroadcast({ database, log: silent });
  const close = async () => {
    await broadcast.close();
    await database.close();
  };
  return { here: broadcast, there: broadcast, close };
});

describeOnPostgres('notifications', () => {
  describeBroadcast('notifications of PostgreSQL', async (): Promise<BroadcastPair> => {
    const { database } = await openPostgresForTest();
    const here = await createNotifyBroadcast({ database, log: silent });
    const there = await createNotifyBroadcast({ database, log: silent });
    const close = async () => {
      await Promise.all([here.close(), there.close()]);
      await database.close();
    };
    return { here, there, close };
  });
});

describeOnRedis('pub/sub', () => {
  describeBroadcast('Redis', async (): Promise<BroadcastPair> => {
    const options = { url: TEST_REDIS, log: silent, prefix: testPrefix() };
    const [here, there] = await Promise.all([createRedisBroadcast(options), createRedisBroadcast(options)]);
    return { here, there, close: async () => void (await Promise.all([here.close(), there.close()])) };
  });
});
