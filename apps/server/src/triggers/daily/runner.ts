import { startPolling } from '../../core/polling.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { Services } from '../../services.ts';
import { latestSlot } from './slots.ts';

/** Work that happens once a day, however many processes there are. */
export interface DailyJob {
  readonly name: string;
  /** `HH:MM` in the configured zone (§8.3). */
  readonly at: string;
  /** The returned object goes into the log. */
  readonly run: () => Promise<object>;
}

type Needed = Pick<Services, 'database' | 'config' | 'log' | 'now'>;

/** A job whose time passed while no process ran is caught up within this time, else it waits for the next day. */
const GRACE_MINUTES = 60;
/** A process that claimed a slot and is silent for so long has died over it. */
const STALE_MINUTES = 15;
const TICK_MS = 20_000;

/** True for exactly one of all callers, until the work is finished or its claimant has died. */
async function claim(sql: SqlClient, job: string, slot: string): Promise<boolean> {
  const { row_count } = await sql.query({
    text: `INSERT INTO job_slots AS s (job, slot) VALUES ($1, $2)
      ON CONFLICT (job, slot) DO UPDATE SET attempts = s.attempts + 1, created_at = now()
      WHERE s.finished_at IS NULL AND s.created_at < now() - make_interval(mins => $3::int)
      RETURNING job`,
    values: [job, slot, STALE_MINUTES],
  });
  return row_count > 0;
}

const finish = (sql: SqlClient, job: string, slot: string) =>
  sql.query({
    text: 'UPDATE job_slots SET finished_at = now() WHERE job = $1 AND slot = $2',
    values: [job, slot],
  });

/** Runs the due jobs that no process has claimed. A failure is logged and retried later. */
export async function runDueJobs(
  { database, config, log, now }: Needed,
  jobs: readonly DailyJob[],
): Promise<void> {
  for (const job of jobs) {
    const { day, age_minutes } = latestSlot(job.at, now(), config.TIMEZONE);
    if (age_minutes > GRACE_MINUTES || !(await claim(database.sql, job.name, day))) continue;
    try {
      const outcome = await job.run();
      await finish(database.sql, job.name, day);
      log.info({ job: job.name, day, ...outcome }, 'daily job done');
    } catch (error) {
      log.error({ err: error, job: job.name, day }, 'daily job failed');
    }
  }
}

/** Watches the clock until the returned function is called, which also waits for what is under way. */
export function startDailyJobs(services: Needed, jobs: readonly DailyJob[]): () => Promise<void> {
  return startPolling({
    every_ms: TICK_MS,
    at_once: true,
    work: () => runDueJobs(services, jobs),
    onError: (error) => services.log.error({ err: error }, 'daily jobs could not be checked'),
  });
}
