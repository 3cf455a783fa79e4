import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { AttemptLimiter, LimiterFactory } from '../../ports/coordination/attempt-limiter.ts';
import { attemptState, limiterSettings, waitSeconds } from '../attempt-rule.ts';

/** Counts within this process. Limiters of the same rule share their counts, as they do in a shared store. */
export function createMemoryLimiters(): LimiterFactory {
  const known = new Map<string, AttemptLimiter>();
  return (rule) => {
    const before = known.get(rule.name);
    if (before) return before;
    const limiter = new RateLimiterMemory(limiterSettings(rule));
    const made: AttemptLimiter = {
      count: (key) => waitSeconds(limiter.consume(key)),
      state: async (key) => attemptState(rule, await limiter.get(key)),
    };
    known.set(rule.name, made);
    return made;
  };
}
