import type { Alert, AlertInput } from '@millrace/contracts';
import { isTimeZone } from '@millrace/engine/expression';
import { conflict, invalidField } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { lockPerson } from '../lock-person.ts';
import { requireWorkflow } from '../workflows/access.ts';
import { requireOwn } from './access.ts';
import { formatTime, mostSilentMinutes, parseMinutes } from './active-time.ts';
import * as queries from './queries.ts';

type Reader = Needs<'db' | 'actor'>;
type Writer = Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>;

/** Each is checked every minute. */
const MOST_ALERTS = 100;

function alertRecord({ alert, workflow_name, target_workflow_name }: queries.NamedAlert): Alert {
  return {
    id: alert.id,
    name: alert.name,
    workflow_id: alert.workflow_id,
    workflow_name,
    target_workflow_id: alert.target_workflow_id,
    target_workflow_name,
    kind: alert.kind,
    window_minutes: alert.window_minutes,
    threshold: alert.threshold,
    least_runs: alert.least_runs,
    days: [...alert.days],
    from: formatTime(alert.from_minute),
    until: formatTime(alert.until_minute),
    time_zone: alert.time_zone,
    repeats: alert.repeats,
    active: alert.active,
    state: alert.state,
    state_since: alert.state_since.toISOString(),
    checked_at: alert.checked_at?.toISOString() ?? null,
    value: alert.value,
    last_run_id: alert.last_run_id,
    last_started_at: alert.last_started_at?.toISOString() ?? null,
    problem: alert.problem,
    created_at: alert.created_at.toISOString(),
    updated_at: alert.updated_at.toISOString(),
  };
}

/** The columns that an input is stored as; what was found under other settings says nothing any more. */
function toColumns(input: AlertInput, at: Date) {
  const { from, until, kind, threshold, days, ...same } = input;
  if (same.time_zone !== null && !isTimeZone(same.time_zone))
    throw invalidField(['body', 'time_zone'], 'must be the name of a time zone such as Europe/Berlin');
  const active = {
    days: [...new Set(days)].sort((a, b) => a - b),
    from_minute: parseMinutes(from),
    until_minute: parseMinutes(until),
  };
  const most_minutes = mostSilentMinutes(active);
  if (kind === 'silence' && same.window_minutes > most_minutes)
    throw invalidField(
      ['body', 'window_minutes'],
      `must be at most ${most_minutes}, the minutes within the days and hours of the alert in a year; choose a shorter window, or more days or hours`,
    );
  return {
    ...same,
    ...active,
    kind,
    threshold: kind === 'silence' ? null : threshold,
    state: 'ok' as const,
    state_since: at,
    counts_from: at,
    next_look_at: at,
    checked_at: null,
    value: null,
    problem: null,
    updated_at: at,
  };
}

/** People who can see a workflow may read its runs and start it. */
async function requireWorkflows(ctx: Reader, { workflow_id, target_workflow_id }: AlertInput): Promise<void> {
  await requireWorkflow(ctx, workflow_id, 'read');
  await requireWorkflow(ctx, target_workflow_id, 'read');
}

type Audited = Pick<queries.AlertRow, 'id' | 'name' | 'owner_id'>;

const audit = (db: Db, ctx: Writer, action: 'created' | 'updated' | 'deleted', row: Audited) =>
  recordAudit(db, ctx, {
    action: `alert.${action}`,
    object_kind: 'alert',
    object_id: row.id,
    object_name: row.name,
    owner_id: row.owner_id,
  });

export async function listAlerts(ctx: Reader): Promise<Alert[]> {
  return (await queries.queryAlerts(ctx.db, ctx.actor.user_id)).map(alertRecord);
}

export async function readAlert(ctx: Reader, id: string): Promise<Alert> {
  return alertRecord(await requireOwn(ctx, id));
}

export async function createAlert(ctx: Writer, input: AlertInput): Promise<Alert> {
  await requireWorkflows(ctx, input);
  const owner_id = ctx.actor.user_id;
  const at = new Date(ctx.now());
  const row = { id: newId(), owner_id, created_at: at, ...toColumns(input, at) };
  await ctx.db.transaction(async (tx) => {
    await lockPerson(tx, owner_id);
    if ((await queries.countAlerts(tx, owner_id)) >= MOST_ALERTS)
      throw conflict(`You have ${MOST_ALERTS} alerts, which is as many as there may be; delete one first`);
    await queries.insertAlert(tx, row);
    await audit(tx, ctx, 'created', row);
  });
  return readAlert(ctx, row.id);
}

export async function updateAlert(ctx: Writer, id: string, input: AlertInput): Promise<Alert> {
  const { alert } = await requireOwn(ctx, id);
  await requireWorkflows(ctx, input);
  const change = toColumns(input, new Date(ctx.now()));
  await ctx.db.transaction(async (tx) => {
    await queries.updateAlert(tx, id, change);
    await audit(tx, ctx, 'updated', { ...alert, ...change });
  });
  return readAlert(ctx, id);
}

export async function deleteAlert(ctx: Writer, id: string): Promise<void> {
  const { alert } = await requireOwn(ctx, id);
  await ctx.db.transaction(async (tx) => {
    await queries.deleteAlert(tx, id);
    await audit(tx, ctx, 'deleted', alert);
  });
}
