import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from '../../database/sql-errors.ts';

/** As long as the journal lets its callers wait. */
const MAX_WAIT_MS = 5_000;
const PAUSE_MS = 100;

/** Repeats a statement that may be repeated when its answer was lost. */
export async function persist<T>(statement: () => Promise<T>): Promise<T> {
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (performance.now() > until || !isTransient(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
