import { createDate, type DateValue, dayOfWeek, isCalendarTime, zoneOfOffset } from './date-value.ts';
import { DAYS, MONTHS } from './format.ts';
import { toInstant, type WallClock, wallClockAt } from './zone.ts';

const LONGEST = 200;
/** Text in [brackets] stands for itself, as do characters between tokens. */
const PART =
  /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|dddd|ddd|DD|D|HH|H|hh|h|mm|m|SSS|ss|s|A|a|ZZ|Z|\{(?:GGGG|WW|W|E|DDDD|DDD|Q|X|x)\}|[^]/g;

const shortened = (names: readonly string[]): string => names.map((name) => name.slice(0, 3)).join('|');

/** The texts that a token can stand for. */
const TOKENS: Readonly<Record<string, string>> = {
  YYYY: '\\d{4}',
  YY: '\\d{2}',
  MMMM: MONTHS.join('|'),
  MMM: shortened(MONTHS),
  MM: '\\d{2}',
  M: '\\d{1,2}',
  dddd: DAYS.join('|'),
  ddd: shortened(DAYS),
  DD: '\\d{2}',
  D: '\\d{1,2}',
  HH: '\\d{2}',
  H: '\\d{1,2}',
  hh: '\\d{2}',
  h: '\\d{1,2}',
  mm: '\\d{2}',
  m: '\\d{1,2}',
  ss: '\\d{2}',
  s: '\\d{1,2}',
  SSS: '\\d{3}',
  A: 'am|pm',
  a: 'am|pm',
  Z: '[+-]\\d{2}:\\d{2}',
  ZZ: '[+-]\\d{4}',
};

/** Tokens in braces can only be written. */
const UNREADABLE = /^\{(GGGG|WW|W|E|DDDD|DDD|Q|X|x)\}$/;

interface Reader {
  readonly expression: RegExp;
  /** The token of each group. */
  readonly tokens: readonly string[];
}

/**
 * Reads text by a pattern of `format`; null when it does not fit. Fields above the largest one of the pattern are those
 * of today, others begin at their smallest.
 */
export function parseByPattern(
  text: string,
  pattern: string,
  { zone, now }: { zone: string; now: number },
): DateValue | null {
  const reader = text.length <= LONGEST && pattern.length <= LONGEST ? createReader(pattern) : null;
  const found = reader?.expression.exec(text);
  if (!reader || !found) return null;
  const fields = new Map(reader.tokens.map((token, index) => [token, found[index + 1] ?? '']));
  const offset = fields.get('Z') ?? fields.get('ZZ');
  const own = offset === undefined ? zone : zoneOfOffset(offset);
  const clock = own === null ? null : readClock(fields, wallClockAt(now, own));
  if (own === null || clock === null || !isCalendarTime(clock)) return null;
  const date = createDate(toInstant(clock, own), { zone: own });
  return date !== null && isOnDay(date, fields) ? date : null;
}

/** Null for a pattern without tokens, with one that cannot be read or that is there twice. */
function createReader(pattern: string): Reader | null {
  const tokens: string[] = [];
  let source = '';
  for (const [part, kept] of pattern.matchAll(PART)) {
    const group = Object.hasOwn(TOKENS, part) ? TOKENS[part] : undefined;
    if (UNREADABLE.test(part) || (group !== undefined && tokens.includes(part))) return null;
    if (group !== undefined) tokens.push(part);
    source += group === undefined ? spell(kept ?? part) : `(${group})`;
  }
  return tokens.length === 0 ? null : { expression: new RegExp(`^${source}$`, 'i'), tokens };
}

const spell = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

const TOKENS_OF: Readonly<Record<keyof WallClock, readonly string[]>> = {
  year: ['YYYY', 'YY'],
  month: ['MMMM', 'MMM', 'MM', 'M'],
  day: ['DD', 'D'],
  hour: ['HH', 'H', 'hh', 'h'],
  minute: ['mm', 'm'],
  second: ['ss', 's'],
  millisecond: ['SSS'],
};

/** Null where two tokens name one field. */
function readClock(fields: ReadonlyMap<string, string>, today: WallClock): WallClock | null {
  const clock = { year: 1, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
  let isBelow = false;
  for (const field of Object.keys(TOKENS_OF) as (keyof WallClock)[]) {
    const [token, ...more] = TOKENS_OF[field].filter((name) => fields.has(name));
    if (more.length > 0) return null;
    if (token !== undefined) clock[field] = readField(token, fields);
    else if (!isBelow) clock[field] = today[field];
    isBelow ||= token !== undefined;
  }
  return clock;
}

/** Two digits of a year are those from 1961 to 2060. */
const NEXT_CENTURY = 60;

function readField(token: string, fields: ReadonlyMap<string, string>): number {
  const text = fields.get(token) ?? '';
  const number = Number(text);
  switch (token) {
    case 'YY':
      return number + (number > NEXT_CENTURY ? 1900 : 2000);
    case 'MMMM':
    case 'MMM':
      return MONTHS.findIndex((name) => isName(name, text)) + 1;
    case 'hh':
    case 'h':
      return hourIn(number, fields.get('A') ?? fields.get('a'));
    default:
      return number;
  }
}

function hourIn(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  const isAfternoon = half.toLowerCase() === 'pm';
  if (hour === 12) return isAfternoon ? 12 : 0;
  return hour < 12 && isAfternoon ? hour + 12 : hour;
}

const isName = (name: string, text: string): boolean =>
  name.slice(0, text.length).toLowerCase() === text.toLowerCase();

/** Whether a day of the week that the text names is that of the date. */
function isOnDay(date: DateValue, fields: ReadonlyMap<string, string>): boolean {
  const day = fields.get('dddd') ?? fields.get('ddd');
  return day === undefined || isName(DAYS[dayOfWeek(date)] ?? '', day);
}
