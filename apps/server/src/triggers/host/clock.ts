import type { ClockReceiver } from '@millrace/nodes/runtime';
import { type HostContext, type Reading, UnreadableSettings } from './context.ts';
import { noteChange } from './health.ts';

type AnyClock = ClockReceiver<Readonly<Record<string, unknown>>>;

/** Due times that were slept through are caught up to this age; older ones are not what their authors waited for. */
export const GRACE_MS = 10 * 60_000;

/** @throws UnreadableSettings */
function nextAfter({ receiver, call, reasonOf }: Reading<AnyClock>, after_ms: number): number | undefined {
  try {
    return receiver.next(call, after_ms);
  } catch (error) {
    throw new UnreadableSettings(reasonOf(error), { cause: error });
  }
}

/** The first due time that is still worth a run, undefined when there is none. */
function withinGrace(reading: Reading<AnyClock>, due_ms: number, now_ms: number): number | undefined {
  return now_ms - due_ms <= GRACE_MS ? due_ms : nextAfter(reading, now_ms - GRACE_MS - 1);
}

/**
 * Starts what is due of one schedule, oldest first, and stores the next due time with each run. A trigger that is new
 * counts from the moment it was published, which stands in its due time until then.
 */
export async function runClock(ctx: HostContext, reading: Reading<AnyClock>): Promise<void> {
  const { sql, services } = ctx;
  const { trigger, receiver, call } = reading;
  const { log, now } = services;
  const stored = trigger.next_due_ms ?? now();
  let due = trigger.is_armed ? stored : nextAfter(reading, stored);
  if (!trigger.is_armed) {
    const change = { armed: true, state: 'armed', error: null, next_due_ms: due ?? null } as const;
    if (!(await noteChange(sql, trigger, change))) return;
  }
  if (due === undefined || due > now()) return;
  const first = withinGrace(reading, due, now());
  if (first !== due) {
    const left_out = { workflow_id: trigger.workflow_id, node_id: trigger.node_id, from: new Date(due) };
    log.warn(
      left_out,
      'the service was away for longer than the grace time; due times in between are left out',
    );
    if (first === undefined || first > now()) {
      await noteChange(sql, trigger, { next_due_ms: first ?? null });
      return;
    }
  }
  for (due = first; due !== undefined && due <= now(); ) {
    const following: number | undefined = nextAfter(reading, due);
    const { cause, input, cursor } = receiver.event(call, due);
    const outcome = await reading.fire({ causes: [cause], input, cursor, next_due_ms: following ?? null });
    if (outcome.kind === 'lost') return;
    due = following;
  }
  if (trigger.failures > 0) await noteChange(sql, trigger, { state: 'armed', error: null });
}
