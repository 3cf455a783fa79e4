import type { Trigger } from '@millrace/contracts';
import type { Needs } from '../../services.ts';
import * as queries from './queries.ts';

type Row = Awaited<ReturnType<typeof queries.visibleTriggers>>[number];

const toIsoTime = (at: Date | null) => at?.toISOString() ?? null;

/** A trigger as people see it. */
export function triggerRecord({ trigger, ...row }: Row, now_ms: number): Trigger {
  const { id, workflow_id, node_id, type, next_due_at } = trigger;
  const isPaused = !trigger.active || row.scheduled_for_deletion !== null;
  // Webhooks and uploads are handled by the process that is called, so they are ready as soon as they exist.
  const isCalled = trigger.kind === 'webhook' || trigger.kind === 'upload';
  const ready = isCalled && trigger.state === 'new' ? 'armed' : trigger.state;
  return {
    id,
    workflow_id,
    workflow_name: row.workflow_name,
    node_id,
    type,
    // The publisher writes one of these.
    kind: trigger.kind as Trigger['kind'],
    state: isPaused ? 'paused' : ready,
    state_since: trigger.state_since.toISOString(),
    paused_at: toIsoTime(trigger.paused_at),
    last_event_at: row.last_event_ms === null ? null : new Date(row.last_event_ms).toISOString(),
    last_error: trigger.last_error,
    last_error_at: toIsoTime(trigger.last_error_at),
    failures_in_a_row: trigger.failures,
    next_due_at: isPaused ? null : toIsoTime(next_due_at),
    lag_ms: isPaused || !next_due_at ? 0 : Math.max(0, Math.round(now_ms - next_due_at.getTime())),
    hosted_by: row.hosted_by,
  };
}

/** Triggers of the workflows that the actor sees; those of others are not listed. */
export async function listTriggers(
  ctx: Needs<'db' | 'actor' | 'now'>,
  query: Omit<queries.TriggerQuery, 'user_id'>,
): Promise<Trigger[]> {
  const rows = await queries.visibleTriggers(ctx.db, { user_id: ctx.actor.user_id, ...query });
  return rows.map((row) => triggerRecord(row, ctx.now()));
}
