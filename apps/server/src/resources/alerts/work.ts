import type { JsonObject } from '@millrace/engine';
import { MINUTE_MS } from '@millrace/engine/units';
import { AppError } from '../../core/app-error.ts';
import { catchUp } from '../../core/catch-up.ts';
import { startPolling } from '../../core/polling.ts';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import { sqlWithin } from '../../database/sql-within.ts';
import type { QueuedRun } from '../../execution/model/queue.ts';
import { queuedRun } from '../../execution/run/start/queued-run.ts';
import { runOfKey } from '../../execution/store/lookups.ts';
import type { Services } from '../../services.ts';
import { canSeeWorkflow } from '../workflows/access.ts';
import { type ActiveTime, activeBetween, isActive } from './active-time.ts';
import { type Finding, isStart, judgeFigures, judgeSilence, windowStart } from './decide.ts';
import { computeFigures, lastRunAfter } from './figure-queries.ts';
import * as queries from './queries.ts';

const POLL_MS = 5_000;
/** From one check of an alert to the next; a check whose process dies is made up for by the next one. */
const LOOK_EVERY_SECONDS = 60;

const GONE = 'You can no longer see the workflow whose runs are checked';
const UNEXPECTED = 'Something went wrong on our side';

type AlertRow = queries.AlertRow;

/** The alert that is due first, for this process alone until it is due again. */
async function claimAlert({ database, now }: Services): Promise<string | undefined> {
  const { rows } = await database.sql.query<{ id: string }>({
    name: 'claim_alert',
    text: `UPDATE alerts SET next_look_at = to_timestamp($1::float8 / 1000) + make_interval(secs => $2::int)
      WHERE id = (SELECT id FROM alerts WHERE active AND next_look_at <= to_timestamp($1::float8 / 1000)
        ORDER BY next_look_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`,
    values: [now(), LOOK_EVERY_SECONDS],
  });
  return rows[0]?.id;
}

const toActiveTime = (
  { days, from_minute, until_minute, time_zone }: AlertRow,
  zone: string,
): ActiveTime => ({
  days,
  from_minute,
  until_minute,
  zone: time_zone ?? zone,
});

/** Undefined outside of its time. */
async function computeFinding(
  { database, config }: Services,
  alert: AlertRow,
  now_ms: number,
): Promise<Finding | undefined> {
  const time = toActiveTime(alert, config.TIMEZONE);
  if (!isActive(time, now_ms)) return undefined;
  const { workflow_id, window_minutes } = alert;
  const window_ms = window_minutes * MINUTE_MS;
  if (alert.kind !== 'silence') {
    const period = { workflow_id, since_ms: now_ms - window_ms, until_ms: now_ms };
    return judgeFigures(alert, await computeFigures(database.sql, period));
  }
  const since_ms = alert.counts_from.getTime();
  const last_ms = (await lastRunAfter(database.sql, { workflow_id, since_ms })) ?? since_ms;
  return judgeSilence(alert, activeBetween(time, { from_ms: last_ms, to_ms: now_ms, most_ms: window_ms }));
}

function buildInput(alert: AlertRow, finding: Finding, now_ms: number): JsonObject {
  const body = {
    alert_id: alert.id,
    alert_name: alert.name,
    kind: alert.kind,
    workflow_id: alert.workflow_id,
    value: finding.value,
    threshold: alert.threshold,
    window_minutes: alert.window_minutes,
    found_at: new Date(now_ms).toISOString(),
  };
  return { headers: {}, query: {}, body };
}

/** @throws AppError when the workflow cannot be started for the owner of the alert */
async function prepareRun(
  services: Services,
  alert: AlertRow,
  finding: Finding,
  now_ms: number,
): Promise<QueuedRun> {
  const { admit, workflows } = services.execution;
  const workflow = await workflows.published(alert.target_workflow_id);
  if (!workflow) throw new AppError('not_found', 'The workflow that is started was deleted');
  const admitted = await admit.internal({
    workflow,
    principal: { kind: 'alert', run_as: alert.owner_id },
    input: buildInput(alert, finding, now_ms),
  });
  const idempotency_key = `alert:${alert.id}:${windowStart(alert, now_ms)}`;
  return queuedRun(admitted, { idempotency_key, started_at_ms: now_ms });
}

/** Stores what was found, and the run with it, unless the alert was changed or found to hold meanwhile. */
async function settle(
  { database, execution }: Services,
  { id, updated_at }: AlertRow,
  { finding, at, run }: { finding: Finding | undefined; at: Date; run: QueuedRun | undefined },
): Promise<void> {
  const queued = run && execution.ownership.enqueueAtEnd(run);
  const isQueued = await database.db.transaction(async (db) => {
    const current = await queries.lockAlert(db, id);
    if (!current?.active || current.updated_at.getTime() !== updated_at.getTime()) return false;
    const looked = { checked_at: at, problem: null };
    if (!finding) {
      await queries.updateAlert(db, id, looked);
      return false;
    }
    const state = finding.holds ? 'firing' : 'ok';
    const found = {
      ...looked,
      value: finding.value,
      state,
      ...(state === current.state ? {} : { state_since: at }),
    } as const;
    const tx = sqlWithin(db);
    // One window has one run, which may have been stored before.
    const isNew =
      run?.idempotency_key && isStart(current, finding)
        ? (await runOfKey(tx, run.workflow_id, run.idempotency_key)) === undefined
        : false;
    if (queued && isNew) await queued.write.write(tx);
    await queries.updateAlert(db, id, {
      ...found,
      ...(run && isNew ? { last_run_id: run.run_id, last_started_at: at } : {}),
    });
    return isNew;
  });
  if (isQueued) queued?.announce();
}

/** Checks an alert once. What fails is in its row, for its owner. */
async function checkAlert(services: Services, id: string): Promise<void> {
  const { database, now, log } = services;
  const [alert] = await queries.alertRows(database.db, id);
  if (!alert) return;
  const at = new Date(now());
  try {
    await catchUp(services);
    if (!(await canSeeWorkflow(database.db, alert.owner_id, alert.workflow_id)))
      throw new AppError('not_found', GONE);
    const finding = await computeFinding(services, alert, at.getTime());
    const run =
      finding && isStart(alert, finding)
        ? await prepareRun(services, alert, finding, at.getTime())
        : undefined;
    await settle(services, alert, { finding, at, run });
  } catch (error) {
    if (isConnectionLoss(error)) throw error;
    if (!(error instanceof AppError))
      log.error({ err: error, alert_id: id }, 'an alert could not be checked');
    const problem = error instanceof AppError ? error.message : UNEXPECTED;
    await queries.updateUnchanged(database.db, alert, { checked_at: at, problem });
  }
}

/** Checks each alert that is due. Any process may; each due time is checked once. */
export async function checkAlerts(services: Services, signal?: AbortSignal): Promise<void> {
  for (let id = await claimAlert(services); id !== undefined; id = await claimAlert(services)) {
    await checkAlert(services, id);
    if (signal?.aborted) return;
  }
}

/** Checks alerts until the returned function is called, which also waits for the check that is under way. */
export function startAlerts(services: Services): () => Promise<void> {
  return startPolling({
    every_ms: POLL_MS,
    work: (signal) => checkAlerts(services, signal),
    onError: (error) => services.log.error({ err: error }, 'alerts could not be checked'),
  });
}
