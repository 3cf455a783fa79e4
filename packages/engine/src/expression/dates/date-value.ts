import { formatDate } from './format.ts';
import { DAY_MS, instantOf, isInstant, MINUTE_MS, offsetAt, type WallClock, wallClockAt } from './zone.ts';

/** A date inside an expression. It never leaves one: what leaves is `isoText`. */
export class DateValue {
  /** Epoch milliseconds. */
  readonly ms: number;
  /** IANA zone in which fields are read and arithmetic on days is done. */
  readonly zone: string;

  constructor(ms: number, zone: string) {
    this.ms = ms;
    this.zone = zone;
  }
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;
/** From here on a number is meant as milliseconds: as seconds it would be the year 5138. */
const MILLISECONDS_FROM = 1e11;

/** ISO 8601 with the zone's offset; a fraction only when there is one. */
export function isoText(date: DateValue): string {
  const fraction = date.ms % 1000 === 0 ? '' : '.SSS';
  return formatDate(date.ms, date.zone, `YYYY-MM-DDTHH:mm:ss${fraction}Z`);
}

/** Reads ISO text or unix seconds; null when it is neither. Text without offset is in `zone`. */
export function parseDate(value: unknown, zone: string): DateValue | null {
  if (value instanceof DateValue) return value;
  if (typeof value === 'number')
    return dateOf(Math.abs(value) < MILLISECONDS_FROM ? value * 1000 : value, zone);
  return typeof value === 'string' ? parseIso(value.trim(), zone) : null;
}

function dateOf(ms: number, zone: string): DateValue | null {
  const whole = Math.floor(ms);
  return isInstant(whole) ? new DateValue(whole, zone) : null;
}

function parseIso(text: string, zone: string): DateValue | null {
  const found = text.length <= 64 ? ISO.exec(text) : null;
  if (found === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = found;
  const clock: WallClock = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, '0')),
  };
  if (!isCalendarTime(clock)) return null;
  if (offset === undefined) return dateOf(instantOf(clock, zone), zone);
  return dateOf(instantOf(clock, 'UTC') - offsetMs(offset), zone);
}

function isCalendarTime(clock: WallClock): boolean {
  if (clock.month < 1 || clock.month > 12 || clock.year < 1) return false;
  if (clock.day < 1 || clock.day > daysInMonth(clock.year, clock.month)) return false;
  return clock.hour < 24 && clock.minute < 60 && clock.second < 60;
}

function offsetMs(offset: string): number {
  if (offset === 'Z' || offset === 'z') return 0;
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2, 4));
  return (offset.startsWith('-') ? -minutes : minutes) * MINUTE_MS;
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** 0 is Monday. */
export function dayOfWeek(date: DateValue): number {
  const days = Math.floor((date.ms + offsetAt(date.ms, date.zone)) / DAY_MS);
  return (((days + 3) % 7) + 7) % 7;
}

/** Moves by elapsed time, so one hour over a clock change is one hour. */
export function addMilliseconds(date: DateValue, ms: number): DateValue | null {
  return dateOf(date.ms + ms, date.zone);
}

/** Moves the calendar day and keeps the time on the clock. */
export function addDays(date: DateValue, days: number): DateValue | null {
  const clock = wallClockAt(date.ms, date.zone);
  const moved = { ...clock, day: clock.day + Math.trunc(days) };
  return Math.abs(days) < 1e7 ? dateOf(instantOf(moved, date.zone), date.zone) : null;
}

/** Moves the month; 31 January plus one month is the last day of February. */
export function addMonths(date: DateValue, months: number): DateValue | null {
  const clock = wallClockAt(date.ms, date.zone);
  const index = clock.year * 12 + clock.month - 1 + Math.trunc(months);
  const year = Math.floor(index / 12);
  const month = (((index % 12) + 12) % 12) + 1;
  if (!Number.isFinite(index) || year < 1 || year > 9999) return null;
  const day = Math.min(clock.day, daysInMonth(year, month));
  return dateOf(instantOf({ ...clock, year, month, day }, date.zone), date.zone);
}

export function startOfDay(date: DateValue): DateValue | null {
  const clock = wallClockAt(date.ms, date.zone);
  return dateOf(instantOf({ ...clock, hour: 0, minute: 0, second: 0, millisecond: 0 }, date.zone), date.zone);
}

export function endOfDay(date: DateValue): DateValue | null {
  const clock = wallClockAt(date.ms, date.zone);
  const last = { ...clock, hour: 23, minute: 59, second: 59, millisecond: 999 };
  return dateOf(instantOf(last, date.zone), date.zone);
}

export function startOfMonth(date: DateValue): DateValue | null {
  const clock = wallClockAt(date.ms, date.zone);
  const first = { ...clock, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
  return dateOf(instantOf(first, date.zone), date.zone);
}

export function endOfMonth(date: DateValue): DateValue | null {
  const clock = wallClockAt(date.ms, date.zone);
  const day = daysInMonth(clock.year, clock.month);
  return dateOf(
    instantOf({ ...clock, day, hour: 23, minute: 59, second: 59, millisecond: 999 }, date.zone),
    date.zone,
  );
}
