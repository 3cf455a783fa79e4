import type { listSchedules, ResponseOf, ScheduleEvent } from '@millrace/contracts';
import { receivers } from '@millrace/nodes/runtime';
import { loadStatuses } from '../../execution/store/lookups.ts';
import type { Needs } from '../../services.ts';
import * as queries from './queries.ts';

type Clock = Awaited<ReturnType<typeof queries.visibleClocks>>[number];
type Schedules = ResponseOf<typeof listSchedules>;

/** Due times that are listed of one schedule. */
const MOST_OF_ONE = 1_000;
/** Due times of an answer. */
const MOST = 20_000;

interface Period {
  readonly start_ms: number;
  readonly end_ms: number;
}

/**
 * The first due times of a schedule in a period, as its host will see them, and one more than `room` to tell that there are
 * more; none when it is off or cannot be read.
 */
function plannedTimes(
  ctx: Needs<'config' | 'now'>,
  clock: Clock,
  { start_ms, end_ms }: Period,
  room: number,
): number[] {
  const receiver = receivers.get(clock.type);
  if (receiver?.kind !== 'clock' || !clock.active || clock.scheduled_for_deletion) return [];
  const params = receiver.definition.params.safeParse(clock.settings);
  // A schedule that is armed without a next time is over, or says in its state why it cannot be read.
  if (!params.success || (clock.armed_at && !clock.next_due_at)) return [];
  const call = { params: params.data, node_id: clock.node_id, time_zone: ctx.config.TIMEZONE };
  const times: number[] = [];
  // A time that is due and has not fired yet counts as planned.
  const from = Math.min(ctx.now(), clock.next_due_at?.getTime() ?? ctx.now());
  try {
    let due = receiver.next(call, Math.max(start_ms, from) - 1);
    for (; due !== undefined && due < end_ms && times.length <= room; due = receiver.next(call, due))
      times.push(due);
  } catch {
    return [];
  }
  return times;
}

/** Past and planned due times of one schedule. */
function buildEvents(
  clock: Clock,
  fired: readonly queries.FiredRow[],
  planned: readonly number[],
): ScheduleEvent[] {
  const { workflow_id, workflow_name, description, node_id } = clock;
  const shared = { workflow_id, workflow_name, description, node_id, status: null };
  const known = new Set(fired.map(({ cause }) => cause));
  const ahead = planned.map((due) => new Date(due).toISOString()).filter((at) => !known.has(at));
  return [
    ...fired.map(({ cause, run_id }) => ({ ...shared, scheduled_at: cause, run_id, is_planned: false })),
    ...ahead.map((at) => ({ ...shared, scheduled_at: at, run_id: null, is_planned: true })),
  ];
}

const byTime = (a: ScheduleEvent, b: ScheduleEvent) =>
  a.scheduled_at < b.scheduled_at ? -1 : a.scheduled_at > b.scheduled_at ? 1 : 0;

/** Due times of the schedules that the actor sees: past ones with the run that they started, and planned ones. */
export async function listDueTimes(
  ctx: Needs<'db' | 'sql' | 'actor' | 'config' | 'now'>,
  { start, end, include_shared }: { start: string; end: string; include_shared: boolean },
): Promise<Schedules> {
  const period = { start_ms: Date.parse(start), end_ms: Date.parse(end) };
  const clocks = await queries.visibleClocks(ctx.db, { user_id: ctx.actor.user_id, include_shared });
  const fired = await queries.firedBetween(
    ctx.sql,
    clocks.map(({ id }) => id),
    {
      start: new Date(period.start_ms).toISOString(),
      end: new Date(period.end_ms).toISOString(),
      most_of_one: MOST_OF_ONE + 1,
    },
  );
  const events: ScheduleEvent[] = [];
  const shortened: Schedules['shortened'] = [];
  for (const clock of clocks) {
    const { id, workflow_id, workflow_name, node_id } = clock;
    const room = Math.min(MOST_OF_ONE, MOST - events.length);
    const own = buildEvents(clock, fired.get(id) ?? [], plannedTimes(ctx, clock, period, room));
    if (own.length > room) shortened.push({ workflow_id, workflow_name, node_id });
    events.push(...own.slice(0, room));
  }
  const statuses = await loadStatuses(
    ctx.sql,
    events.flatMap(({ run_id }) => run_id ?? []),
  );
  const complete = events.map((event) => {
    const status = event.run_id === null ? undefined : statuses.get(event.run_id);
    return status ? { ...event, status } : { ...event, run_id: null };
  });
  return { events: complete.sort(byTime), total: complete.length, shortened };
}
