import type { AttemptRule, AttemptState } from '../ports/coordination/attempt-limiter.ts';

/** A rule in the words of `rate-limiter-flexible`. */
export const limiterSettings = (rule: AttemptRule) => ({
  keyPrefix: `attempts:${rule.name}`,
  points: rule.attempts,
  duration: rule.window_seconds,
  blockDuration: rule.ban_seconds,
});

/**
 * Seconds to wait when the attempt was refused. The library refuses by rejecting with a plain object; an `Error` is a
 * failure of the store.
 */
export async function waitSeconds(consumed: Promise<unknown>): Promise<number | undefined> {
  try {
    await consumed;
    return undefined;
  } catch (refused) {
    if (refused instanceof Error) throw refused;
    const { msBeforeNext } = refused as { msBeforeNext: number };
    return Math.max(1, Math.ceil(msBeforeNext / 1000));
  }
}

/** The library's count for a key: nothing yet, or so many points until then. More than allowed is a ban. */
export function attemptState(
  { attempts }: AttemptRule,
  counted: { readonly consumedPoints: number; readonly msBeforeNext: number } | null,
): AttemptState {
  const { consumedPoints, msBeforeNext } = counted ?? { consumedPoints: 0, msBeforeNext: 0 };
  const isBanned = consumedPoints > attempts && msBeforeNext > 0;
  return {
    left: Math.max(0, attempts - consumedPoints),
    wait_seconds: isBanned ? Math.max(1, Math.ceil(msBeforeNext / 1000)) : undefined,
  };
}
