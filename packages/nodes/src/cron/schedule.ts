import { type JsonObject, NodeFailure } from '@millrace/engine';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@millrace/engine/units';
import { Cron } from 'croner';
import { type CronParams, cron } from './definition.ts';

/** The surroundings of a schedule: its node, and the zone of the service, an IANA name. The node's own zone comes first. */
interface Place {
  readonly node_id: string;
  readonly time_zone: string;
}

/** When a cron node is due. Times are epoch milliseconds. */
export interface Schedule {
  /** First due time strictly after that moment; undefined: never again. */
  next(after_ms: number): number | undefined;
}

/** Schedules that are kept parsed. */
const MOST_KEPT = 5_000;
const UNIT_MS = {
  seconds: SECOND_MS,
  minutes: MINUTE_MS,
  hours: HOUR_MS,
  days: DAY_MS,
  weeks: 7 * DAY_MS,
} as const;
const HAS_OFFSET = /(Z|[+-]\d{2}:\d{2})$/;

const kept = new Map<string, Schedule>();

const refused = (field: string, message: string, cause: unknown) =>
  new NodeFailure({ kind: 'params', field, message }, { cause });

/** `5/15` is every 15 from 5 on, as other services read it. */
const OPTIONS = { mode: '5-or-6-parts', sloppyRanges: true, paused: true } as const;

/** A moment as the form takes it; without an offset it is a local time of the zone. */
function parseMoment(text: string, zone: string): number | undefined {
  if (text === '') return undefined;
  if (HAS_OFFSET.test(text)) return Date.parse(text);
  const local = text.includes('T') ? text : `${text}T00:00`;
  return new Cron(local, { timezone: zone, paused: true }).getOnce()?.getTime();
}

function parsedExpression(expression: string, zone: string): Cron {
  try {
    return new Cron(expression, { ...OPTIONS, timezone: zone });
  } catch (error) {
    const message = `"${expression}" is no schedule; enter five fields such as 0 9 * * 1-5, or six with the seconds first`;
    throw refused('cronExpression', message, error);
  }
}

function cronTimes({ cronExpression }: CronParams, zone: string): Schedule {
  const expressions = cronExpression.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  if (expressions.length === 0) expressions.push(cronExpression);
  const crons = expressions.map((expression) => parsedExpression(expression, zone));
  return {
    next: (after_ms) => {
      const times = crons.flatMap((each) => each.nextRun(new Date(after_ms))?.getTime() ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
  };
}

function intervalTimes({ intervalValue, intervalUnit }: CronParams, starts_ms: number | undefined): Schedule {
  const step = intervalValue * UNIT_MS[intervalUnit];
  const anchor = starts_ms ?? 0;
  return { next: (after_ms) => anchor + (Math.floor((after_ms - anchor) / step) + 1) * step };
}

/** FNV-1a: spreads neighbouring due times evenly, and is the same in every process. */
function spread(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash / 0x1_0000_0000;
}

/** Each due time is moved by a delay of its own that is shorter than the pause before the next one, so the order stays. */
function delayed(times: Schedule, { seed, most_ms }: { seed: string; most_ms: number }): Schedule {
  if (most_ms === 0) return times;
  const computeDelay = (base: number): number => {
    const pause = (times.next(base) ?? Number.POSITIVE_INFINITY) - base;
    return Math.floor((spread(`${seed} ${base}`) * Math.min(most_ms, pause - 1_000)) / 1_000) * 1_000;
  };
  return {
    next: (after_ms) => {
      let base = times.next(after_ms - most_ms - 1);
      while (base !== undefined && base + computeDelay(base) <= after_ms) base = times.next(base);
      return base === undefined ? undefined : base + computeDelay(base);
    },
  };
}

function read(params: CronParams, { node_id, zone }: { node_id: string; zone: string }): Schedule {
  const starts = parseMoment(params.startsAt, zone);
  const ends = parseMoment(params.endsAt, zone) ?? Number.POSITIVE_INFINITY;
  const base = params.scheduleMode === 'interval' ? intervalTimes(params, starts) : cronTimes(params, zone);
  const times = delayed(base, { seed: node_id, most_ms: params.jitterSeconds * 1_000 });
  return {
    next: (after_ms) => {
      const due = times.next(starts === undefined ? after_ms : Math.max(after_ms, starts - 1));
      return due === undefined || due > ends ? undefined : due;
    },
  };
}

/**
 * The schedule of a cron node.
 *
 * @throws NodeFailure that names the field which cannot be read
 */
export function resolveSchedule(params: CronParams, { node_id, time_zone }: Place): Schedule {
  const zone = chooseZone(params, time_zone);
  const key = JSON.stringify([node_id, zone, params]);
  const known = kept.get(key);
  if (known) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  const schedule = read(params, { node_id, zone });
  kept.set(key, schedule);
  return schedule;
}

const chooseZone = ({ timeZone }: CronParams, time_zone: string): string =>
  timeZone === '' ? time_zone : timeZone;

/** The next due times of a stored cron node and their zone; undefined while its settings cannot be read. */
export function upcoming(
  data: JsonObject,
  place: Place,
  { after_ms, count }: { readonly after_ms: number; readonly count: number },
): { readonly times: readonly number[]; readonly time_zone: string } | undefined {
  const parsed = cron.params.safeParse(data);
  if (!parsed.success) return undefined;
  try {
    const { next } = resolveSchedule(parsed.data, place);
    const times: number[] = [];
    for (let due = next(after_ms); due !== undefined && times.length < count; due = next(due))
      times.push(due);
    return { times, time_zone: chooseZone(parsed.data, place.time_zone) };
  } catch (error) {
    if (error instanceof NodeFailure) return undefined;
    throw error;
  }
}
