import { DAY_MS } from '@millrace/engine/units';
import { deleteInSlices } from '../database/delete-in-slices.ts';
import { publishEvent } from '../database/platform-events.ts';
import type { SqlClient } from '../database/sql-client.ts';
import type { Services } from '../services.ts';

/** §8.3. */
const KEPT_MS = 7 * DAY_MS;
/** Processes that start within the same time are one start of the service. */
const START_MS = 5 * 60_000;

/** Removes the events that are older than a week. Resolves to how many there were. */
export const purgePlatformEvents = (sql: SqlClient, now_ms: number): Promise<number> =>
  deleteInSlices(
    sql,
    `DELETE FROM platform_events WHERE id IN
      (SELECT id FROM platform_events WHERE created_at < to_timestamp($1::float8 / 1000) LIMIT $2)`,
    [now_ms - KEPT_MS],
  );

/** Publishes the start of the service to workflows. A failure to do so does not keep the service from starting. */
export async function announceStart(
  { database, log, now }: Pick<Services, 'database' | 'log' | 'now'>,
  version: string,
): Promise<void> {
  const at = new Date(now());
  try {
    await publishEvent(database.db, {
      name: 'instance.started',
      owner_id: null,
      workflow_id: null,
      payload: { version, started_at: at.toISOString() },
      dedupe_key: `instance.started:${Math.floor(at.getTime() / START_MS)}`,
      at,
    });
  } catch (error) {
    log.warn({ err: error }, 'the start of the service could not be reported to workflows');
  }
}
