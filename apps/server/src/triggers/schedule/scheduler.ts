import { and, isNull, lte, sql } from 'drizzle-orm';
import type { Services } from '../../core/context.ts';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import type { Db } from '../../database/database.ts';
import { type Schedule, workflows } from '../../database/schema/index.ts';
import { queuedRun } from '../../execution/run/queued-run.ts';
import { TRIGGER_SOURCES } from '../../execution/trigger-source.ts';
import { isDue } from './due.ts';

type Needed = Pick<Services, 'database' | 'config' | 'log' | 'now' | 'execution'>;

/** §8.3. */
const MINUTE_MS = 60_000;
/** Minutes that a process slept through are caught up to this age; older ones are not what their authors waited for. */
const GRACE_MINUTES = 10;
/** Behind the start of the minute, so that a clock that is a little late has reached it. */
const LAG_MS = 50;
const RETRY_MS = 1_000;

interface Scheduled {
  readonly id: string;
  readonly version_id: string;
  readonly schedules: Schedule[];
}

/** Workflows with schedules; for a minute that is long over only those that have not changed since. */
const scheduledWorkflows = (db: Db, unchanged_since: Date | undefined): Promise<Scheduled[]> =>
  db
    .select({ id: workflows.id, version_id: workflows.version_id, schedules: workflows.schedules })
    .from(workflows)
    .where(
      and(
        sql`${workflows.schedules} <> '[]'`,
        isNull(workflows.scheduled_for_deletion),
        unchanged_since ? lte(workflows.updated_at, unchanged_since) : undefined,
      ),
    );

async function fire(
  { execution, log, now }: Needed,
  { id, version_id }: Scheduled,
  { node_id, minute_ms }: { node_id: string; minute_ms: number },
): Promise<boolean> {
  const { workflows: published, ownership } = execution.environment;
  const workflow = await published.pinned(id, version_id);
  if (!workflow) return false;
  const slot = new Date(minute_ms).toISOString();
  const run = queuedRun(workflow, {
    trigger_source: TRIGGER_SOURCES.cron,
    trigger_node_id: node_id,
    actor_id: workflow.settings.owner_id,
    input: { triggered_by: 'cron', triggered_at: slot },
    started_at_ms: now(),
  });
  const { kind } = await ownership.enqueue(run, { job: `cron:${id}:${node_id}`, slot });
  if (kind === 'queued') log.debug({ workflow_id: id, node_id, slot }, 'schedule fired');
  return kind === 'queued';
}

/**
 * Starts what is due in a minute (§6.2). However many processes ask, each schedule starts one run: its claim to the minute
 * is stored with it. Returns how many this call has started.
 */
export async function fireDue(services: Needed, minute_ms: number): Promise<number> {
  const { database, config, log, now } = services;
  const is_late = now() - minute_ms >= MINUTE_MS;
  const rows = await scheduledWorkflows(database.db, is_late ? new Date(minute_ms) : undefined);
  let started = 0;
  for (const row of rows) {
    for (const { node_id, cron } of row.schedules) {
      if (!isDue(cron, minute_ms, config.TIMEZONE)) continue;
      try {
        if (await fire(services, row, { node_id, minute_ms })) started += 1;
      } catch (error) {
        // The minute is asked for again as a whole; what it has started already has its claim.
        if (isConnectionLoss(error)) throw error;
        log.error({ err: error, workflow_id: row.id, node_id }, 'a schedule could not start its run');
      }
    }
  }
  return started;
}

const startOfMinute = (at_ms: number) => at_ms - (at_ms % MINUTE_MS);

/** Watches the clock until the returned function is called, which also waits for what is under way. */
export function startScheduler(services: Needed): () => Promise<void> {
  const { log, now } = services;
  let next = startOfMinute(now()) + MINUTE_MS;
  let timer: NodeJS.Timeout;
  let current: Promise<void> = Promise.resolve();

  async function catchUp(): Promise<void> {
    const oldest = startOfMinute(now()) - GRACE_MINUTES * MINUTE_MS;
    if (next < oldest) {
      log.warn(
        { from: new Date(next), to: new Date(oldest) },
        'the clock jumped; schedules in between are left out',
      );
      next = oldest;
    }
    for (; next <= now(); next += MINUTE_MS) await fireDue(services, next);
  }

  function wait(least = 0): void {
    timer = setTimeout(
      () => {
        current = catchUp().then(
          () => wait(),
          (error: unknown) => {
            log.error({ err: error }, 'schedules could not be read; trying again');
            wait(RETRY_MS);
          },
        );
      },
      Math.min(MINUTE_MS, Math.max(least, next - now() + LAG_MS)),
    );
    timer.unref();
  }

  wait();
  return async () => {
    clearTimeout(timer);
    await current;
    clearTimeout(timer);
  };
}
