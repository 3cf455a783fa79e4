import type { Services } from '../../../execution/context.ts';
import { removeEndedBefore, removeUnusedValues } from '../../../execution/store/history/remove.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const EVERY_MS = 60 * 60 * 1000;
/** One pass of the retention job; several processes may run it at the same time. */
export async function applyRetention(services: Services): Promise<{ runs: number; values: number }> {
  const { config, database, now } = services;
  const days = config.RUN_RETENTION_DAYS;
  const runs = days > 0 ? await removeEndedBefore(database.sql, now() - days * DAY_MS) : 0;
  return { runs, values: await removeUnusedValues(database.sql) };
}

/** Repeats the job every hour. The returned function ends it. */
export function startRetention(services: Services): () => void {
  const pass = () => {
    applyRetention(services).catch((error: unknown) =>
      services.log.warn({ err: error }, 'old runs could not be removed'),
    );
  };
  const timer = setInterval(pass, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
