import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { LimiterFactory } from '../../ports/attempt-limiter.ts';
import { attemptState, limiterSettings, waitSeconds } from '../attempt-rule.ts';

/** Counts within this process. */
export const memoryLimiters: LimiterFactory = (rule) => {
  const limiter = new RateLimiterMemory(limiterSettings(rule));
  return {
    count: (key) => waitSeconds(limiter.consume(key)),
    state: async (key) => attemptState(rule, await limiter.get(key)),
  };
};
