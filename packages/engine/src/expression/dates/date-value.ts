import { DAY_MS } from '../../units.ts';
import { daysInMonth } from './calendar.ts';
import { formatDate } from './format.ts';
import { isInstant, isTimeZone, offsetAt, toInstant, type WallClock, wallClockAt } from './zone.ts';

/** A date inside an expression. It never leaves one: what leaves is `isoText`. */
export class DateValue {
  /** Epoch milliseconds. */
  readonly ms: number;
  /** IANA zone or fixed offset (`+02:00`) in which fields are read and arithmetic on days is done. */
  readonly zone: string;
  /** Microseconds behind `ms`, 0 to 999. */
  readonly micros: number;

  constructor(ms: number, zone: string, micros = 0) {
    this.ms = ms;
    this.zone = zone;
    this.micros = micros;
  }
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;
/** From here on a number is meant as milliseconds: as seconds it would be the year 5138. */
const MILLISECONDS_FROM = 1e11;

/** ISO 8601 with the zone's offset; a fraction of six digits only when there is one, as Python's `isoformat` writes it. */
export function isoText({ ms, zone, micros }: DateValue): string {
  const isWhole = ms % 1000 === 0 && micros === 0;
  const fraction = isWhole ? '' : `.SSS[${String(micros).padStart(3, '0')}]`;
  return formatDate(ms, zone, `YYYY-MM-DDTHH:mm:ss${fraction}Z`);
}

/** Reads ISO text or unix seconds; null when it is neither. Text keeps its offset; without one it is in `zone`. */
export function parseDate(value: unknown, zone: string): DateValue | null {
  if (value instanceof DateValue) return value;
  if (typeof value === 'number')
    return createDate(Math.abs(value) < MILLISECONDS_FROM ? value * 1000 : value, { zone });
  return typeof value === 'string' ? parseIso(value.trim(), zone) : null;
}

/** Negative, zero or positive, as sorting wants it. */
export function compareDates(left: DateValue, right: DateValue): number {
  return left.ms - right.ms || left.micros - right.micros;
}

/** Null for an instant outside of the years 1 to 9999. */
export function createDate(
  ms: number,
  { zone, micros = 0 }: { zone: string; micros?: number },
): DateValue | null {
  const whole = Math.floor(ms);
  return isInstant(whole) ? new DateValue(whole, zone, micros) : null;
}

function parseIso(text: string, zone: string): DateValue | null {
  const found = text.length <= 64 ? ISO.exec(text) : null;
  if (found === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = found;
  const digits = fraction.padEnd(6, '0');
  const clock: WallClock = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(digits.slice(0, 3)),
  };
  const own = offset === undefined ? zone : zoneOfOffset(offset);
  if (own === null || !isCalendarTime(clock)) return null;
  return createDate(toInstant(clock, own), { zone: own, micros: Number(digits.slice(3, 6)) });
}

export function isCalendarTime(clock: WallClock): boolean {
  if (clock.month < 1 || clock.month > 12 || clock.year < 1) return false;
  if (clock.day < 1 || clock.day > daysInMonth(clock.year, clock.month)) return false;
  return clock.hour < 24 && clock.minute < 60 && clock.second < 60;
}

/** `Z`, `+2`, `+0200` and `+02:00` as a zone; null for an offset of a day or more. */
export function zoneOfOffset(offset: string): string | null {
  if (offset === 'Z' || offset === 'z') return 'UTC';
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  const [hours, minutes] = [digits.slice(0, 2), digits.slice(2, 4)];
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  return digits === '0000' ? 'UTC' : `${offset.charAt(0)}${hours}:${minutes}`;
}

/** 0 is Monday. */
export function dayOfWeek(date: DateValue): number {
  const days = Math.floor((date.ms + offsetAt(date.ms, date.zone)) / DAY_MS);
  return (((days + 3) % 7) + 7) % 7;
}

/** Moves by elapsed time, so one hour over a clock change is one hour. */
export function addMilliseconds(date: DateValue, ms: number): DateValue | null {
  return createDate(date.ms + ms, date);
}

/** Moves the calendar day and keeps the time on the clock. */
export function addDays(date: DateValue, days: number): DateValue | null {
  const clock = wallClockAt(date.ms, date.zone);
  const moved = { ...clock, day: clock.day + Math.trunc(days) };
  return Math.abs(days) < 1e7 ? atClock(date, moved) : null;
}

/** Moves the month; 31 January plus one month is the last day of February. */
export function addMonths(date: DateValue, months: number): DateValue | null {
  const clock = wallClockAt(date.ms, date.zone);
  const index = clock.year * 12 + clock.month - 1 + Math.trunc(months);
  const year = Math.floor(index / 12);
  const month = (((index % 12) + 12) % 12) + 1;
  if (!Number.isFinite(index) || year < 1 || year > 9999) return null;
  const day = Math.min(clock.day, daysInMonth(year, month));
  return atClock(date, { ...clock, year, month, day });
}

/** The date with another time on its clock; of a time that clocks show twice, the one with its offset. */
export function atClock(date: DateValue, clock: WallClock): DateValue | null {
  return createDate(toInstant(clock, date.zone, offsetAt(date.ms, date.zone)), date);
}

/** The name of a zone that is known; null for another text. */
export function readZone(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 64) return null;
  const name = /^(?:utc|gmt)$/i.test(value) ? 'UTC' : value;
  return isTimeZone(name) ? name : null;
}

/** The same instant on the clocks of another zone. */
export const inZone = ({ ms, micros }: DateValue, zone: string): DateValue => new DateValue(ms, zone, micros);
