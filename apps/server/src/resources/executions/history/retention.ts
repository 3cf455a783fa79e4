import type { Services } from '../../../core/context.ts';
import { firstIdAt } from './filters.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const EVERY_MS = 60 * 60 * 1000;
const BATCH = 2_000;

/** Finished runs that are older than the setting, oldest first; their rows elsewhere go with them. */
async function deleteOldRuns({ database, now }: Services, days: number): Promise<number> {
  const before = firstIdAt(now() - days * DAY_MS);
  let deleted = 0;
  for (;;) {
    const { row_count } = await database.sql.query({
      text: `DELETE FROM runs WHERE id IN (
          SELECT id FROM runs WHERE id < $1 AND state = 3 ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
      values: [before],
    });
    deleted += row_count;
    if (row_count < BATCH) return deleted;
  }
}

/**
 * Large values that no run needs any more. Young ones stay: a run that is being stored may be about to need them, and
 * says so by making them young again.
 */
async function deleteUnusedValues({ database }: Services): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { row_count } = await database.sql.query({
      text: `DELETE FROM blobs WHERE hash IN (
          SELECT b.hash FROM blobs b WHERE b.created_at < now() - interval '1 hour'
            AND NOT EXISTS (SELECT 1 FROM run_blobs r WHERE r.hash = b.hash)
          LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
        AND created_at < now() - interval '1 hour'`,
    });
    deleted += row_count;
    if (row_count < BATCH) return deleted;
  }
}

/** One pass of the retention job; several processes may run it at the same time. */
export async function applyRetention(services: Services): Promise<{ runs: number; values: number }> {
  const days = services.config.RUN_RETENTION_DAYS;
  const runs = days > 0 ? await deleteOldRuns(services, days) : 0;
  return { runs, values: await deleteUnusedValues(services) };
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
