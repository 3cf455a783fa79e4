import { DAY_MS, HOUR_MS } from '@millrace/engine/units';
import { startPolling } from '../../../core/polling.ts';
import { removeEndedBefore, removeUnusedValues } from '../../../execution/store/history/remove.ts';
import type { Services } from '../../../services.ts';

const EVERY_MS = HOUR_MS;

/**
 * One pass of the retention job; several processes may run it at the same time.
 *
 * @param signal ends the pass after the statement that is under way; the next pass finds what is left
 */
export async function applyRetention(
  services: Services,
  signal?: AbortSignal,
): Promise<{ runs: number; values: number }> {
  const { config, database, now } = services;
  const days = config.RUN_RETENTION_DAYS;
  const runs = days > 0 ? await removeEndedBefore(database.sql, now() - days * DAY_MS, signal) : 0;
  return { runs, values: await removeUnusedValues(database.sql, signal) };
}

/** Repeats the job every hour until the returned function is called, which also waits for the statement under way. */
export function startRetention(services: Services): () => Promise<void> {
  return startPolling({
    every_ms: EVERY_MS,
    work: (signal) => applyRetention(services, signal),
    onError: (error) => services.log.warn({ err: error }, 'old runs could not be removed'),
  });
}
