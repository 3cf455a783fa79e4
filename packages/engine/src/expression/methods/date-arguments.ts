import type { DateValue } from '../dates/date-value.ts';
import { formatDate } from '../dates/format.ts';
import { type Amounts, type DateUnit, type Fields, isClockField, readUnit } from '../dates/periods.ts';
import { type Context, NoValue, spend } from '../evaluate/context.ts';
import { typeName } from '../values/compare.ts';
import { isObject } from '../values/settle.ts';

/** More entries than there are names for units. */
const MOST_ENTRIES = 20;

/** A number, or a text of one as data often has it. */
function readAmount(value: unknown): number {
  const isText = typeof value === 'string' && value.length <= 40 && value !== '';
  const amount = typeof value === 'number' || isText ? Number(value) : Number.NaN;
  if (!Number.isFinite(amount)) throw new NoValue(`Expected a number, found ${typeName(value)}.`);
  return amount;
}

/** Numbers of an object by their names; those that are null are left out. */
function readNumbers<Name extends string>(
  context: Context,
  object: unknown,
  name: (key: string) => Name | null,
): Partial<Record<Name, number>> | null {
  if (!isObject(object)) return null;
  const keys = Object.keys(object);
  if (keys.length > MOST_ENTRIES) return null;
  spend(context, keys.length * 4);
  const numbers: Partial<Record<Name, number>> = {};
  for (const key of keys) {
    const known = name(key);
    if (known === null) throw new NoValue('This is not a part of a date.');
    const value = object[key] ?? null;
    if (value !== null) numbers[known] = readAmount(value);
  }
  return numbers;
}

/** `2, "days"` and `{"days": 2}`, turned around for the sign -1. */
export function readAmounts(context: Context, values: readonly unknown[], sign: 1 | -1): Amounts | null {
  const [amount = null, unit] = values;
  if (amount === null) return null;
  const known = isObject(amount) ? null : readUnit(unit);
  const amounts = known === null ? readNumbers(context, amount, readUnit) : { [known]: readAmount(amount) };
  if (amounts === null || sign === 1) return amounts;
  return Object.fromEntries(Object.entries(amounts).map(([name, value]) => [name, -value]));
}

export const readFields = (context: Context, fields: unknown): Fields | null =>
  readNumbers(context, fields, (key) => (isClockField(key) ? key : null));

const CALENDARS: Readonly<Partial<Record<DateUnit, string>>> = {
  year: 'YYYY',
  quarter: 'YYYY-{Q}',
  month: 'YYYY-MM',
  week: '{GGGG}-{WW}',
  day: 'YYYY-MM-DD',
};

/** Null for a unit of the clock. */
export function isSamePeriod(one: DateValue, other: DateValue, unit: DateUnit | null): boolean | null {
  const pattern = unit === null ? undefined : CALENDARS[unit];
  if (pattern === undefined) return null;
  return formatDate(one.ms, one.zone, pattern) === formatDate(other.ms, other.zone, pattern);
}
