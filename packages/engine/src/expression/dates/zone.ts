import { DAY_MS, MINUTE_MS } from '../../units.ts';

/** Wall-clock fields of an instant in some zone. `month` is 1 to 12. */
export interface WallClock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/** Largest instant a date may have: years 1 to 9999. */
const MIN_MS = -62_135_596_800_000;
const MAX_MS = 253_402_300_799_999;
const MAX_FORMATTERS = 64;

const formatters = new Map<string, Intl.DateTimeFormat | null>();

export function isInstant(ms: number): boolean {
  return Number.isFinite(ms) && ms >= MIN_MS && ms <= MAX_MS;
}

/** A zone that is an offset: `+02:00`. */
const FIXED = /^([+-])(\d{2}):(\d{2})$/;

/** Offset from UTC in milliseconds; an unknown zone counts as UTC. */
export function offsetAt(ms: number, zone: string): number {
  const fixed = FIXED.exec(zone);
  if (fixed !== null) return fixedOffset(fixed);
  const formatter = zone === 'UTC' ? null : getFormatter(zone);
  if (formatter === null) return 0;
  const fields: Record<string, number> = {};
  for (const part of formatter.formatToParts(ms)) {
    if (part.type !== 'literal' && part.type !== 'era') fields[part.type] = Number(part.value);
  }
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  const local = toUtc({ year, month, day, hour, minute, second, millisecond: 0 });
  return local - Math.floor(ms / 1000) * 1000;
}

function fixedOffset([, sign, hours, minutes]: RegExpExecArray): number {
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return sign === '-' ? -offset : offset;
}

function getFormatter(zone: string): Intl.DateTimeFormat | null {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  const created = createFormatter(zone);
  formatters.set(zone, created);
  return created;
}

/** Whether it is an IANA zone that is known here, or a fixed offset such as `+02:00`. */
export const isTimeZone = (zone: string): boolean =>
  zone === 'UTC' || FIXED.test(zone) || getFormatter(zone) !== null;

function createFormatter(zone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return null;
  }
}

/** Milliseconds of wall-clock fields read as UTC; fields may overflow (day 32). */
export function toUtc(clock: WallClock): number {
  const date = new Date(0);
  date.setUTCFullYear(clock.year, clock.month - 1, clock.day);
  date.setUTCHours(clock.hour, clock.minute, clock.second, clock.millisecond);
  return date.getTime();
}

export function wallClockAt(ms: number, zone: string): WallClock {
  return wallClockOfUtc(ms + offsetAt(ms, zone));
}

export function wallClockOfUtc(localMs: number): WallClock {
  const date = new Date(localMs);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
  };
}

/**
 * The instant at which clocks of the zone show these fields. A time that clocks skip moves forward by the gap;
 * of a time that they show twice the one with the preferred offset is taken, or else the earlier one.
 */
export function toInstant(clock: WallClock, zone: string, preferred?: number): number {
  const local = toUtc(clock);
  if (preferred !== undefined && offsetAt(local - preferred, zone) === preferred) return local - preferred;
  const before = offsetAt(local - DAY_MS, zone);
  const after = offsetAt(local + DAY_MS, zone);
  const earlier = local - before;
  if (offsetAt(earlier, zone) === before) return earlier;
  const later = local - after;
  return offsetAt(later, zone) === after ? later : earlier;
}
