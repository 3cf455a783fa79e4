import { catchUp } from '../core/catch-up.ts';
import { startPolling } from '../core/polling.ts';
import type { SqlClient } from '../database/sql-client.ts';
import { createReports } from '../execution/ownership/error-runs.ts';
import type { FailedTrigger } from '../execution/run/end/error-run.ts';
import { FIRST_ID, MOST_REPORTS } from '../execution/store/jobs/error-runs.ts';
import type { Services } from '../services.ts';

const LOOK_EVERY_MS = 1_000;

type ReportServices = Pick<Services, 'database' | 'execution' | 'changes' | 'log' | 'now'>;

/** Triggers that began to fail and whose error workflow has not been started, in the order of their events after that one. */
async function triggersToReport(sql: SqlClient, after = FIRST_ID): Promise<FailedTrigger[]> {
  const { rows } = await sql.query<{ id: string; payload: string }>({
    name: 'triggers_to_report',
    text: `SELECT id, payload FROM platform_events WHERE error_run_due AND id > $1::uuid ORDER BY id LIMIT ${MOST_REPORTS}`,
    values: [after],
  });
  return rows.map(({ id, payload }) => ({
    ...(JSON.parse(payload) as Omit<FailedTrigger, 'event_id'>),
    event_id: id,
  }));
}

/** Stores the run of the error workflow, or that there is none to start. Of several processes that do it one does. */
async function reportTrigger(services: ReportServices, failed: FailedTrigger): Promise<void> {
  const { database, execution } = services;
  await catchUp(services);
  const run = await execution.errorRunOfTrigger(failed);
  const queued = run && execution.ownership.enqueueAtEnd(run);
  const isFirst = await database.journal.transaction(async (tx) => {
    const { rows } = await tx.query({
      text: 'UPDATE platform_events SET error_run_due = NULL WHERE id = $1 AND error_run_due RETURNING id',
      values: [failed.event_id],
    });
    if (rows.length === 0) return false;
    await queued?.write.write(tx);
    return true;
  });
  if (isFirst) queued?.announce();
}

/**
 * Starts the error workflows of workflows with a trigger that began to fail, on any process.
 *
 * @returns one look
 */
export const createTriggerReports = (services: ReportServices): (() => Promise<void>) =>
  createReports<FailedTrigger>({
    log: services.log,
    now: services.now,
    getId: ({ event_id }) => event_id,
    due: (after) => triggersToReport(services.database.journal, after),
    report: (failed) => reportTrigger(services, failed),
  });

/** Looks until the returned function is called. */
export const startTriggerReports = (services: ReportServices): (() => Promise<void>) =>
  startPolling({
    every_ms: LOOK_EVERY_MS,
    work: createTriggerReports(services),
    onError: (error) => services.log.warn({ err: error }, 'failing triggers could not be reported'),
  });
