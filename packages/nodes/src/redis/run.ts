import type { JsonObject } from '@millrace/engine';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { readCount, requiredText } from '../kit/integration/object-input.ts';
import { readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { type RedisConnection, testRedis, withRedis } from './client.ts';
import { redisCredential } from './credential.ts';
import { redis } from './definition.ts';

type Params = z.output<typeof redis.params>;

/** Longest time that Redis takes in seconds without an overflow of its milliseconds; a hundred years suffice. */
const MOST_SECONDS = 100 * 365 * 24 * 60 * 60;

export const runRedis = implement(
  redis,
  async (call: NodeCall<Params>) => {
    const { params, services, signal } = call;
    const key = requiredText(params, 'redisKey');
    const work = planWork(params, key);
    const config = await readCredential(call, redisCredential);
    return { output: await withRedis({ http: services.http, signal }, config, work) };
  },
  { connections: { redis: ({ caller, config }) => testRedis(caller, config) } },
);

/** The work that is asked of the server; a parameter that cannot be used fails before anything is sent. */
function planWork(params: Params, key: string): (client: RedisConnection) => Promise<JsonObject> {
  switch (params.redisOperation) {
    case 'set': {
      const ttl = readTtl(params);
      return async (client) => {
        const expiration = ttl === null ? {} : { expiration: { type: 'EX' as const, value: ttl } };
        await client.set(key, params.redisValue, expiration);
        return { success: true, key, ttl };
      };
    }
    case 'get':
      return async (client) => {
        const value = await client.get(key);
        return { value, exists: value !== null, key };
      };
    case 'hasKey':
      return async (client) => ({ exists: (await client.exists(key)) > 0, key });
    case 'deleteKey':
      return async (client) => ({ deleted: (await client.del(key)) > 0, key });
    default:
      return params.redisOperation satisfies never;
  }
}

function readTtl(params: Params): number | null {
  const seconds = readCount(params, 'redisTtl', { most: MOST_SECONDS + 1, usual: 0 });
  if (seconds === 0) return null;
  if (seconds <= MOST_SECONDS) return seconds;
  throw refusedParam('redisTtl', `must be a whole number of seconds from 1 to ${MOST_SECONDS}, or empty`);
}
