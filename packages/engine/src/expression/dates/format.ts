import { DAY_MS, MINUTE_MS } from '../../units.ts';
import { offsetAt, type WallClock, wallClockOfUtc } from './zone.ts';

const MONTHS = [
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
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
/** The documented tokens, and SSS and Z which the ISO form needs. Text in [brackets] is kept as it is. */
const TOKEN = /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|dddd|ddd|DD|D|HH|H|hh|h|mm|m|SSS|ss|s|A|a|Z/g;

/** Writes an instant with date tokens in a zone, for example `YYYY-MM-DD HH:mm:ss`. */
export function formatDate(ms: number, zone: string, pattern: string): string {
  const offset = offsetAt(ms, zone);
  const clock = wallClockOfUtc(ms + offset);
  const weekday = (((Math.floor((ms + offset) / DAY_MS) + 3) % 7) + 7) % 7;
  return pattern.replace(TOKEN, (token: string, kept: string | undefined) =>
    kept === undefined ? field(token, clock, { weekday, offset }) : kept,
  );
}

function field(token: string, clock: WallClock, more: { weekday: number; offset: number }): string {
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
    case 'Z':
      return offsetText(more.offset);
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
