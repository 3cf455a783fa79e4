import { DAY_MS } from '@millrace/engine/units';
import type { ClockReceiver } from '@millrace/nodes/runtime';
import { type HostContext, type Reading, UnreadableSettings } from './context.ts';
import { noteChange } from './health/trigger-health.ts';

type AnyClock = ClockReceiver<Readonly<Record<string, unknown>>>;

/** A due time that is looked at later than this was missed. Hosts look every second. */
const LATE_MS = 60_000;

/** One schedule, with what its receiver needs to read it. */
interface Clock {
  readonly reading: Reading<AnyClock>;
  readonly call: Parameters<AnyClock['next']>[0];
}

function toClock({ services }: HostContext, reading: Reading<AnyClock>): Clock {
  const { params, node_id } = reading.call;
  return { reading, call: { params, node_id, time_zone: services.config.TIMEZONE } };
}

/** @throws UnreadableSettings */
function nextAfter({ reading, call }: Clock, after_ms: number): number | undefined {
  try {
    return reading.receiver.next(call, after_ms);
  } catch (error) {
    throw new UnreadableSettings(reading.describeError(error), { cause: error });
  }
}

/** The last due time up to now, from a first one on that has passed. Asks few times, also of a schedule that fires each second. */
function latest(clock: Clock, first_ms: number, now_ms: number): number {
  for (const window of [LATE_MS, 60 * LATE_MS, DAY_MS]) {
    const from = Math.max(first_ms, now_ms - window);
    let last: number | undefined;
    for (
      let due = nextAfter(clock, from - 1);
      due !== undefined && due <= now_ms;
      due = nextAfter(clock, due)
    )
      last = due;
    if (last !== undefined) return last;
  }
  return first_ms;
}

/** The first due time that is still worth a run by the schedule's policy, undefined when there is none. */
function firstWorthARun(clock: Clock, due_ms: number, now_ms: number): number | undefined {
  const { policy, grace_ms } = clock.reading.receiver.misfire(clock.call);
  const oldest = now_ms - (policy === 'skip' ? LATE_MS : grace_ms);
  const first = due_ms >= oldest ? due_ms : nextAfter(clock, oldest - 1);
  const isMissed = first !== undefined && now_ms - first > LATE_MS;
  return isMissed && policy === 'run_once' ? latest(clock, first, now_ms) : first;
}

/**
 * Starts what is due of one schedule, oldest first, and stores the next due time with each run. A trigger that is new
 * counts from the moment it was published, which is its due time until then.
 */
export async function runClock(ctx: HostContext, reading: Reading<AnyClock>): Promise<void> {
  const { services } = ctx;
  const { trigger, receiver } = reading;
  const { log, now } = services;
  const clock = toClock(ctx, reading);
  const stored = trigger.next_due_ms ?? now();
  let due = trigger.is_armed ? stored : nextAfter(clock, stored);
  if (!trigger.is_armed) {
    const change = { armed: true, state: 'armed', error: null, next_due_ms: due ?? null } as const;
    if (!(await noteChange(ctx, trigger, change))) return;
  }
  if (due === undefined || due > now()) return;
  const first = firstWorthARun(clock, due, now());
  if (first !== due) {
    const left_out = { workflow_id: trigger.workflow_id, node_id: trigger.node_id, from: new Date(due) };
    log.warn(left_out, 'due times passed while no process looked; the schedule says that they are skipped');
    if (first === undefined || first > now()) {
      await noteChange(ctx, trigger, { next_due_ms: first ?? null });
      return;
    }
  }
  for (due = first; due !== undefined && due <= now(); ) {
    const following: number | undefined = nextAfter(clock, due);
    const { cause, input, cursor } = receiver.event(clock.call, due);
    const outcome = await reading.fire({ causes: [cause], input, cursor, next_due_ms: following ?? null });
    if (outcome.kind === 'lost') return;
    if (outcome.kind === 'refused') {
      const { message } = outcome.refuse();
      const { source } = receiver;
      await ctx.refusals.note({ trigger, source, reason: 'no_place', message, event: { cause, input } });
      if (!(await noteChange(ctx, trigger, { next_due_ms: following ?? null }))) return;
    }
    due = following;
  }
  if (trigger.failures > 0) await noteChange(ctx, trigger, { state: 'armed', error: null });
}
