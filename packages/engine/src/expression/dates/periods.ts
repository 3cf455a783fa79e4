import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../units.ts';
import { dayNumber, daysInMonth, FIRST, quarterIn } from './calendar.ts';
import { atClock, createDate, DateValue, dayOfWeek } from './date-value.ts';
import { type WallClock, wallClockAt } from './zone.ts';

/** Length of a unit in milliseconds; of those that vary, the length that a part of one has. */
const LENGTHS = {
  year: 365 * DAY_MS,
  quarter: 91 * DAY_MS,
  month: 30 * DAY_MS,
  week: 7 * DAY_MS,
  day: DAY_MS,
  hour: HOUR_MS,
  minute: MINUTE_MS,
  second: SECOND_MS,
  millisecond: 1,
} as const;

export type DateUnit = keyof typeof LENGTHS;
export type Amounts = Readonly<Partial<Record<DateUnit, number>>>;

/** The unit of `day`, `days` and `Days`; null for anything else. */
export function readUnit(value: unknown): DateUnit | null {
  if (typeof value !== 'string' || value.length > 20) return null;
  const name = value.toLowerCase().replace(/s$/, '');
  return Object.hasOwn(LENGTHS, name) ? (name as DateUnit) : null;
}

/** More of any unit would lead out of the years that a date can have. */
const MOST = 1e15;

/**
 * Moves the calendar by whole years, quarters, months, weeks and days in one go, then by elapsed time. The rest of an
 * amount that is not whole is elapsed time, too.
 */
export function moveDate(date: DateValue, amounts: Amounts): DateValue | null {
  const whole = (unit: DateUnit): number => Math.trunc(amounts[unit] ?? 0);
  const months = whole('year') * 12 + whole('quarter') * 3 + whole('month');
  const days = whole('week') * 7 + whole('day');
  let elapsed = 0;
  for (const unit of Object.keys(LENGTHS) as DateUnit[]) {
    const amount = amounts[unit] ?? 0;
    if (!(Math.abs(amount) < MOST)) return null;
    const rest = LENGTHS[unit] < DAY_MS ? amount : amount - Math.trunc(amount);
    elapsed += rest * LENGTHS[unit];
  }
  const moved = moveCalendar(date, { months, days });
  return moved === null ? null : createDate(moved.ms + elapsed, moved);
}

/** Nothing is lost between both moves when the clock of the day between them skips the time. */
function moveCalendar(date: DateValue, { months, days }: { months: number; days: number }): DateValue | null {
  if (months === 0 && days === 0) return date;
  const clock = wallClockAt(date.ms, date.zone);
  const index = clock.year * 12 + clock.month - 1 + months;
  const year = Math.floor(index / 12);
  if (year < 0 || year > 10_000 || Math.abs(days) > 1e7) return null;
  const month = index - year * 12 + 1;
  const day = Math.min(clock.day, daysInMonth(year, month)) + days;
  return atClock(date, { ...clock, year, month, day });
}

const FIELDS = ['month', 'day', 'hour', 'minute', 'second', 'millisecond'] as const;

/** Weeks begin on Monday. */
export function findStart(date: DateValue, unit: DateUnit): DateValue | null {
  const clock = wallClockAt(date.ms, date.zone);
  const own = unit === 'quarter' ? 'month' : unit === 'week' ? 'day' : unit;
  const kept = own === 'year' ? 0 : FIELDS.indexOf(own) + 1;
  const start: Record<keyof WallClock, number> = { ...clock };
  for (const field of FIELDS.slice(kept)) start[field] = FIRST[field];
  if (unit === 'quarter') start.month -= (start.month - 1) % 3;
  if (unit === 'week') start.day -= dayOfWeek(date);
  return atClock(new DateValue(date.ms, date.zone), start);
}

const LAST_CLOCK = { year: 9999, month: 12, day: 31, hour: 23, minute: 59, second: 59, millisecond: 999 };

/** The last microsecond before the next one begins, or of the last year there can be. */
export function findEnd(date: DateValue, unit: DateUnit): DateValue | null {
  const later = moveDate(date, { [unit]: 1 });
  const next = later && findStart(later, unit);
  const last = next ? createDate(next.ms - 1, next) : atClock(date, LAST_CLOCK);
  return last && new DateValue(last.ms, last.zone, 999);
}

/** From one date to a later or earlier one, in whole milliseconds and a fraction of the unit. */
export function countBetween(from: DateValue, to: DateValue, unit: DateUnit): number {
  if (LENGTHS[unit] < DAY_MS) return (to.ms - from.ms) / LENGTHS[unit];
  return to.ms < from.ms ? 0 - countCalendar(to, from, unit) : countCalendar(from, to, unit);
}

/** Whole units of the calendar from the earlier date, and the part of the next one that has passed. */
function countCalendar(earlier: DateValue, later: DateValue, unit: DateUnit): number {
  let whole = guess(wallClockAt(earlier.ms, earlier.zone), wallClockAt(later.ms, later.zone), unit);
  let reached = moveDate(earlier, { [unit]: whole });
  let next: DateValue | null = null;
  for (let tries = 0; tries < 2 && reached !== null && reached.ms > later.ms; tries++) {
    next = reached;
    reached = moveDate(earlier, { [unit]: --whole });
  }
  if (reached === null || reached.ms === later.ms) return whole;
  next ??= moveDate(reached, { [unit]: 1 });
  return next === null ? whole : whole + (later.ms - reached.ms) / (next.ms - reached.ms);
}

function guess(earlier: WallClock, later: WallClock, unit: DateUnit): number {
  const months = (later.year - earlier.year) * 12;
  if (unit === 'year') return later.year - earlier.year;
  if (unit === 'month') return months + later.month - earlier.month;
  if (unit === 'quarter') return months / 3 + quarterIn(later) - quarterIn(earlier);
  const days = (dayNumber(later) - dayNumber(earlier)) / DAY_MS;
  return unit === 'day' ? days : Math.trunc(days / 7);
}

export type Fields = Readonly<Partial<Record<keyof WallClock, number>>>;

export const isClockField = (name: string): name is keyof WallClock =>
  name === 'year' || FIELDS.some((field) => field === name);

/** Null where a field is not whole or outside of what a clock shows; only a day that is not set gives way to the month. */
export function withFields(date: DateValue, fields: Fields): DateValue | null {
  const clock = { ...wallClockAt(date.ms, date.zone), ...fields };
  const days = daysInMonth(clock.year, clock.month);
  const day = fields.day ?? Math.min(clock.day, days);
  const isClock =
    Object.values(clock).every((value) => Number.isInteger(value) && value >= 0) &&
    [clock.year, clock.month, day].every((value) => value > 0) &&
    clock.year <= 9999 &&
    clock.month <= 12 &&
    day <= days &&
    clock.hour < 24 &&
    clock.minute < 60 &&
    clock.second < 60 &&
    clock.millisecond < 1000;
  return isClock ? atClock(new DateValue(date.ms, date.zone), { ...clock, day }) : null;
}
