import { randomBytes } from 'node:crypto';
import type { SharedStore, WindowCount } from '../../ports/coordination/shared-store.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { closeRedis, connectRedis, type RedisClient, type RedisOptions } from './connection.ts';

export interface RedisStoreOptions extends RedisOptions {
  /** Put before every key, so that several installations can share a server. */
  readonly prefix?: string;
  /** Counts windows while Redis cannot be reached: limits hold per process then, they are never off (§8.1). */
  readonly fallback: SharedStore;
}

/**
 * One call in a sliding window, by the server's clock and in one step, so that processes cannot count past each other.
 * Scores are microseconds. Answers: allowed, remaining, seconds until the oldest call leaves the window.
 */
const COUNT = `
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local limit = tonumber(ARGV[1])
local window = tonumber(ARGV[2]) * 1000000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local used = redis.call('ZCARD', KEYS[1])
local allowed = 0
if used < limit then
  redis.call('ZADD', KEYS[1], now, ARGV[3])
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
  used = used + 1
  allowed = 1
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or now
return { allowed, math.max(0, limit - used), math.max(0, math.ceil((oldest + window - now) / 1000000)) }`;

const SCAN_COUNT = 500;

const escapePattern = (text: string) => text.replace(/[\\*?[\]^-]/g, '\\$&');

/** Unique among the calls of all processes. */
function createCallIds(): () => string {
  const process_part = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${process_part}${(count++).toString(36)}`;
}

async function forgetKeys(client: RedisClient, breaker: Breaker, pattern: string): Promise<void> {
  let cursor = '0';
  do {
    const from = cursor;
    const page = await breaker.run(() => client.scan(from, { MATCH: pattern, COUNT: SCAN_COUNT }));
    if (page.keys.length > 0) await breaker.run(() => client.unlink(page.keys));
    cursor = page.cursor;
  } while (cursor !== '0');
}

/** The shared store of all processes. Losing it costs cached answers, nothing else. */
export function createRedisStore({
  prefix = 'millrace:',
  fallback,
  ...options
}: RedisStoreOptions): SharedStore {
  const client = connectRedis(options);
  const breaker = createBreaker();
  const nextCallId = createCallIds();

  async function count(key: string, limit: number, window_seconds: number): Promise<WindowCount> {
    const reply = await breaker.run(() =>
      client.eval(COUNT, {
        keys: [prefix + key],
        arguments: [String(limit), String(window_seconds), nextCallId()],
      }),
    );
    const [allowed, remaining, reset_seconds] = reply as unknown as [number, number, number];
    return { allowed: allowed === 1, remaining, reset_seconds };
  }

  const read = (ask: () => Promise<string | null>): Promise<string | undefined> =>
    breaker.run(ask).then(
      (value) => value ?? undefined,
      () => undefined,
    );

  return {
    get: (key) => read(() => client.get(prefix + key)),
    take: (key) => read(() => client.getDel(prefix + key)),
    async set(key, value, ttl_seconds) {
      const expiration = { type: 'PX', value: Math.max(1, Math.round(ttl_seconds * 1000)) } as const;
      await breaker.run(() => client.set(prefix + key, value, { expiration })).catch(() => undefined);
    },
    async forget(key_prefix) {
      await fallback.forget(key_prefix);
      await forgetKeys(client, breaker, `${escapePattern(prefix + key_prefix)}*`).catch(() => undefined);
    },
    countInWindow: (key, limit, window_seconds) =>
      count(key, limit, window_seconds).catch(() => fallback.countInWindow(key, limit, window_seconds)),
    async close() {
      closeRedis(client);
      await fallback.close();
    },
  };
}
