import { LRUCache } from 'lru-cache';
import { AppError } from '../../core/app-error.ts';

const ALLOWED = 10;
const WINDOW_MS = 15 * 60_000;

/** Ten wrong passwords in a quarter of an hour, then a wait. */
export interface AttemptLimit {
  /**
   * Counts an attempt before the password is checked, so that simultaneous guesses count too. The returned function
   * takes it back: the password was right. Throws `rate_limited`.
   */
  begin(key: string): () => void;
}

/** Counts within this process. */
export function memoryAttempts(now: () => number): AttemptLimit {
  const attempts = new LRUCache<string, number[]>({ max: 50_000 });
  return {
    begin(key) {
      const times = (attempts.get(key) ?? []).filter((at) => at > now() - WINDOW_MS);
      const [oldest] = times;
      if (times.length >= ALLOWED && oldest !== undefined) {
        const seconds = Math.max(1, Math.ceil((oldest + WINDOW_MS - now()) / 1000));
        throw new AppError('rate_limited', 'Too many wrong passwords; try again later', {
          headers: { 'Retry-After': String(seconds) },
        });
      }
      attempts.set(key, [...times, now()]);
      return () => void attempts.set(key, (attempts.get(key) ?? []).slice(0, -1));
    },
  };
}
