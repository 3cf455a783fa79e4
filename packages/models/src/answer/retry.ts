import type { ModelCaller } from '../model-service.ts';
import { FailedAttempt, failureWithout } from './refusal.ts';

const MAX_ATTEMPTS = 4;
const FIRST_BACKOFF_MS = 500;

/**
 * The one retry policy of model calls: up to four attempts after limits, overload, server errors and lost connections, with
 * the pause that the provider asks for, else 0.5 s, 1 s and 2 s. A pause that would pass `max_wait_ms` ends it.
 *
 * @throws NodeFailure of the last attempt, without the secrets of the service
 */
export function retrying<T>(
  caller: Omit<ModelCaller, 'mask'>,
  { secrets }: { readonly secrets: readonly string[] },
  attempt: () => Promise<T>,
): Promise<T> {
  return attempts(caller, attempt).catch((error: unknown) => {
    throw error instanceof FailedAttempt ? failureWithout(secrets, error) : error;
  });
}

async function attempts<T>(
  { now, sleepUntil, signal, max_wait_ms }: Omit<ModelCaller, 'mask'>,
  attempt: () => Promise<T>,
): Promise<T> {
  let waited_ms = 0;
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof FailedAttempt) || error.pause_ms === undefined || signal.aborted) throw error;
      const pause_ms = error.pause_ms ?? FIRST_BACKOFF_MS * 2 ** (count - 1);
      if (count === MAX_ATTEMPTS || waited_ms + pause_ms > max_wait_ms) throw error;
      waited_ms += pause_ms;
      await sleepUntil(now() + pause_ms, signal);
    }
  }
}
