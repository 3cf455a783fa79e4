import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { LimiterFactory } from '../../ports/coordination/attempt-limiter.ts';
import { attemptState, limiterSettings, waitSeconds } from '../attempt-rule.ts';
import { createMemoryLimiters } from '../memory/attempt-limiters.ts';
import { createBreaker } from './breaker.ts';

/** Counts in Redis, and within this process while that does not answer. */
export function redisLimiters(client: unknown): LimiterFactory {
  const breaker = createBreaker();
  const localLimiters = createMemoryLimiters();
  return (rule) => {
    const limiter = new RateLimiterRedis({
      ...limiterSettings(rule),
      storeClient: client,
      useRedisPackage: true,
    });
    const local = localLimiters(rule);
    return {
      // A refusal is an answer of the store, so it is turned into one before the breaker sees it.
      count: (key) => breaker.run(() => waitSeconds(limiter.consume(key))).catch(() => local.count(key)),
      state: (key) =>
        breaker.run(async () => attemptState(rule, await limiter.get(key))).catch(() => local.state(key)),
    };
  };
}
