import { DAY_MS, MINUTE_MS } from '../../units.ts';
import { isoWeekIn, ordinalIn, quarterIn } from './calendar.ts';
import { offsetAt, type WallClock, wallClockOfUtc } from './zone.ts';

/** Names of months in English. */
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
/** Names of days in English, from Monday. */
export const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
/** Text in [brackets] is kept as it is. Letters that many words begin with are tokens in {braces} only. */
const TOKEN =
  /\[([^\]]*)\]|\{(?:GGGG|WW|W|E|DDDD|DDD|Q|X|x)\}|YYYY|YY|MMMM|MMM|MM|M|dddd|ddd|DD|D|HH|H|hh|h|mm|m|SSS|ss|s|A|a|ZZ|Z/g;

/** Writes an instant with date tokens in a zone, for example `YYYY-MM-DD HH:mm:ss`. */
export function formatDate(ms: number, zone: string, pattern: string): string {
  const offset = offsetAt(ms, zone);
  const clock = wallClockOfUtc(ms + offset);
  const weekday = (((Math.floor((ms + offset) / DAY_MS) + 3) % 7) + 7) % 7;
  return pattern.replace(TOKEN, (token: string, kept: string | undefined) =>
    kept === undefined ? field(token, clock, { weekday, offset, ms }) : kept,
  );
}

interface Instant {
  readonly ms: number;
  readonly offset: number;
  /** 0 is Monday. */
  readonly weekday: number;
}

function field(token: string, clock: WallClock, more: Instant): string {
  const hour12 = clock.hour % 12 === 0 ? 12 : clock.hour % 12;
  switch (token) {
    case 'YYYY':
      return pad(clock.year, 4);
    case 'YY':
      return pad(clock.year % 100, 2);
    case 'MMMM':
      return MONTHS[clock.month - 1] ?? '';
    case 'MMM':
      return (MONTHS[clock.month - 1] ?? '').slice(0, 3);
    case 'MM':
      return pad(clock.month, 2);
    case 'M':
      return String(clock.month);
    case 'dddd':
      return DAYS[more.weekday] ?? '';
    case 'ddd':
      return (DAYS[more.weekday] ?? '').slice(0, 3);
    case 'DD':
      return pad(clock.day, 2);
    case 'D':
      return String(clock.day);
    case 'HH':
      return pad(clock.hour, 2);
    case 'H':
      return String(clock.hour);
    case 'hh':
      return pad(hour12, 2);
    case 'h':
      return String(hour12);
    case 'mm':
      return pad(clock.minute, 2);
    case 'm':
      return String(clock.minute);
    case 'ss':
      return pad(clock.second, 2);
    case 's':
      return String(clock.second);
    case 'SSS':
      return pad(clock.millisecond, 3);
    case 'A':
      return clock.hour < 12 ? 'AM' : 'PM';
    case 'a':
      return clock.hour < 12 ? 'am' : 'pm';
    default:
      return calendarField(token, clock, more);
  }
}

function calendarField(token: string, clock: WallClock, { ms, offset, weekday }: Instant): string {
  switch (token) {
    case '{GGGG}':
      return pad(isoWeekIn(clock).year, 4);
    case '{WW}':
      return pad(isoWeekIn(clock).week, 2);
    case '{W}':
      return String(isoWeekIn(clock).week);
    case '{E}':
      return String(weekday + 1);
    case '{DDDD}':
      return pad(ordinalIn(clock), 3);
    case '{DDD}':
      return String(ordinalIn(clock));
    case '{Q}':
      return String(quarterIn(clock));
    case 'Z':
      return offsetText(offset);
    case 'ZZ':
      return offsetText(offset).replace(':', '');
    case '{X}':
      return String(Math.floor(ms / 1000));
    case '{x}':
      return String(ms);
    default:
      return token;
  }
}

function offsetText(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}`;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
