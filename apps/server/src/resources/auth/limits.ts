import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { AppError } from '../../core/app-error.ts';
import type { AttemptLimiter, AttemptRule, LimiterFactory } from '../../ports/attempt-limiter.ts';

/** §8.2 of the specification. */
export const LOGIN_RULE: AttemptRule = {
  name: 'login',
  attempts: 10,
  window_seconds: 60,
  ban_seconds: 15 * 60,
};
export const REGISTER_RULE: AttemptRule = {
  name: 'register',
  attempts: 5,
  window_seconds: 60,
  ban_seconds: 10 * 60,
};

const settingsOf = (rule: AttemptRule) => ({
  keyPrefix: `attempts:${rule.name}`,
  points: rule.attempts,
  duration: rule.window_seconds,
  blockDuration: rule.ban_seconds,
});

async function waitSeconds(consumed: Promise<unknown>): Promise<number | undefined> {
  try {
    await consumed;
    return undefined;
  } catch (refused) {
    if (refused instanceof Error) throw refused;
    const { msBeforeNext } = refused as { msBeforeNext: number };
    return Math.max(1, Math.ceil(msBeforeNext / 1000));
  }
}

/** Counts within this process. */
export const memoryLimiters: LimiterFactory = (rule) => {
  const limiter = new RateLimiterMemory(settingsOf(rule));
  return { count: (key) => waitSeconds(limiter.consume(key)) };
};

/** Counts in the shared store, and within this process while that cannot be reached. */
export const redisLimiters =
  (client: unknown): LimiterFactory =>
  (rule) => {
    const settings = settingsOf(rule);
    const limiter = new RateLimiterRedis({
      ...settings,
      storeClient: client,
      useRedisPackage: true,
      insuranceLimiter: new RateLimiterMemory(settings),
    });
    return { count: (key) => waitSeconds(limiter.consume(key)) };
  };

/** @throws AppError `rate_limited` with `Retry-After` */
export async function requireAttempt(limiter: AttemptLimiter, client_ip: string): Promise<void> {
  const seconds = await limiter.count(client_ip);
  if (seconds === undefined) return;
  throw new AppError('rate_limited', `Too many attempts. Try again in ${seconds} seconds`, {
    headers: { 'Retry-After': String(seconds) },
  });
}
