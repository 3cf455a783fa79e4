import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@millrace/engine/units';
import { type Code, Untranslatable } from '../value.ts';

/** Methods that move a date by one unit, and the length that Luxon gives it where it counts without a calendar. */
const UNITS = {
  millisecond: { method: 'addMilliseconds', length: 1 },
  second: { method: 'addSeconds', length: SECOND_MS },
  minute: { method: 'addMinutes', length: MINUTE_MS },
  hour: { method: 'addHours', length: HOUR_MS },
  day: { method: 'addDays', length: DAY_MS },
  week: { method: 'addWeeks', length: 7 * DAY_MS },
  month: { method: 'addMonths', length: 30 * DAY_MS },
  quarter: { method: 'addQuarters', length: 91 * DAY_MS },
  year: { method: 'addYears', length: 365 * DAY_MS },
} as const;

export type Unit = keyof typeof UNITS;

export const lengthIn = (unit: Unit): number => UNITS[unit].length;
export const moveMethod = (unit: Unit): string => UNITS[unit].method;

/** Short names that n8n has for units in methods of its own. */
const SHORT: Readonly<Record<string, Unit>> = {
  ms: 'millisecond',
  sec: 'second',
  min: 'minute',
  hr: 'hour',
};

/** `days` and `day`. Throws `Untranslatable` for other names. */
export function readUnit(name: unknown, hasShort = false): Unit {
  const text = typeof name === 'string' ? name : '';
  const lower = text.toLowerCase();
  const single = lower.replace(/s$/, '');
  if (Object.hasOwn(UNITS, single)) return single as Unit;
  const short = hasShort ? (SHORT[lower] ?? SHORT[single]) : undefined;
  if (short === undefined) throw new Untranslatable(`the unit "${text}" has no equal here`);
  return short;
}

/** The value of code that is fixed; undefined for other code. */
export function fixedValue(code: Code | undefined): unknown {
  if (code === undefined) return undefined;
  try {
    return JSON.parse(code.code) as unknown;
  } catch {
    return undefined;
  }
}

export function fixedText(code: Code | undefined): string {
  const value = code?.form === 'constant' ? fixedValue(code) : undefined;
  if (typeof value !== 'string') throw new Untranslatable('a fixed text is needed here');
  return value;
}

/** The names of an object that is written in the expression; none for other code. */
export const writtenNames = ({ code }: Code): string[] =>
  code.startsWith('{') ? [...code.matchAll(/(?<=[{,] ?)"(\w+)": /g)].map(([, name]) => `${name}`) : [];
