import { createDate, DateValue, inZone, parseDate, readZone } from '../dates/date-value.ts';
import { parseByPattern } from '../dates/parse-pattern.ts';
import { listElements } from '../evaluate/access.ts';
import { type Context, NoValue, produceDate, produceList, spend, spendText } from '../evaluate/context.ts';
import { ExpressionError } from '../limits.ts';
import { typeName } from '../values/compare.ts';
import { isObject } from '../values/settle.ts';
import { compactJsonIn, indentedJsonIn } from '../values/text.ts';
import type { FunctionDefinition } from './definition.ts';
import { formatDateIn } from './format-date.ts';
import { formatNumber } from './format-number.ts';

/** The longest text in which a number is looked for. */
const MAX_NUMBER_LENGTH = 400;

const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

function textOfNumber(context: Context, value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  spendText(context, value.length);
  return value.trimStart().slice(0, MAX_NUMBER_LENGTH);
}

/** A value as JavaScript converts it to a number; null where the result would be NaN. */
function scriptNumber(context: Context, value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof DateValue) return value.ms;
  if (typeof value !== 'string') return null;
  spendText(context, value.length);
  return value.length > MAX_NUMBER_LENGTH ? null : finiteOrNull(Number(value));
}

/** Dates in JavaScript have no fractions of milliseconds. */
function scriptDate(context: Context, value: unknown, zone: string): DateValue | null {
  if (value === null || value === undefined) return null;
  const date = typeof value === 'number' ? createDate(Math.trunc(value), { zone }) : parseDate(value, zone);
  if (date === null) throw new NoValue(`This ${typeName(value)} is not a date.`);
  return produceDate(context, new DateValue(date.ms, date.zone));
}

/** By a pattern, or as ISO text; in the zone of the workflow unless the text or another argument names one. */
function dateIn(
  context: Context,
  [value, pattern = null, zone = null]: readonly unknown[],
): DateValue | null {
  const chosen = readZone(zone ?? context.scope.timezone);
  if (chosen === null) throw new NoValue('This is not a time zone.');
  if (pattern === null || value === null || value === undefined) return scriptDate(context, value, chosen);
  if (typeof value !== 'string' || typeof pattern !== 'string')
    throw new NoValue('A pattern reads only text.');
  spend(context, 500);
  const date = parseByPattern(value, pattern, { zone: chosen, now: context.scope.now() });
  if (date === null) throw new NoValue('This text does not fit the pattern.');
  return produceDate(context, date);
}

/** A day without a time, which JavaScript reads in UTC. */
const ONLY_DAY = /^\s*\d{4}-\d{2}-\d{2}\s*$/;

function newDate(context: Context, value: unknown): DateValue | null {
  const { timezone } = context.scope;
  const isDay = typeof value === 'string' && value.length <= 64 && ONLY_DAY.test(value);
  const date = scriptDate(context, value, isDay ? 'UTC' : timezone);
  return date && produceDate(context, inZone(date, timezone));
}

function requireNumber(context: Context, value: unknown): number {
  const number = scriptNumber(context, value);
  if (number === null) throw new NoValue(`Expected a number, found ${typeName(value)}.`);
  return number;
}

function listPairs(context: Context, value: unknown): unknown[] {
  if (!isObject(value)) throw new NoValue(`Expected an object, found ${typeName(value)}.`);
  const keys = Object.keys(value);
  spend(context, keys.length * 4);
  return produceList(
    context,
    keys.map((key) => [key, value[key]]),
  );
}

function toSet(context: Context, value: unknown): unknown[] {
  const elements = listElements(context, value);
  spend(context, elements.length * 4);
  return produceList(context, [...new Set(elements)]);
}

function writeJson(context: Context, value: unknown, indent: unknown): string {
  if (indent === null) return compactJsonIn(context, value);
  if (typeof indent !== 'number' && typeof indent !== 'string')
    throw new NoValue('JSON is indented by a number of spaces or by a text.');
  return indentedJsonIn(context, value, indent);
}

/** Throws ExpressionError `argument` for what is no date. */
function readDate(context: Context, value: unknown): DateValue | null {
  if (typeof value === 'string') spendText(context, value.length);
  // Without digits an empty text would be the number 0.
  const isNumber = typeof value === 'string' && /\d/.test(value) && scriptNumber(context, value) !== null;
  const date = parseDate(isNumber ? Number(value) : value, context.scope.timezone);
  if (date !== null) return produceDate(context, date);
  const found = typeof value === 'string' ? `"${value.slice(0, 40)}"` : `this ${typeName(value)}`;
  throw new ExpressionError('argument', `readDate() needs a date, and ${found} is none.`);
}

/** Functions that convert as JavaScript does: imported workflows were written for its rules. */
export const scriptFunctions: Readonly<Record<string, FunctionDefinition>> = {
  toNumber: {
    signature: 'toNumber(value)',
    doc: 'Number of a text, a truth value or a date in milliseconds, as JavaScript reads it; null for anything else.',
    example: '$toNumber($input.decimal)',
    call: (context, [value = null]) => scriptNumber(context, value),
  },
  parseInt: {
    signature: 'parseInt(text)',
    doc: 'Whole number at the beginning of a text; null when there is none.',
    example: '$parseInt("12px")',
    call: (context, [value]) => finiteOrNull(Number.parseInt(textOfNumber(context, value) ?? '')),
  },
  parseFloat: {
    signature: 'parseFloat(text)',
    doc: 'Number at the beginning of a text; null when there is none.',
    example: '$parseFloat("2.5 kg")',
    call: (context, [value]) => finiteOrNull(Number.parseFloat(textOfNumber(context, value) ?? '')),
  },
  remainder: {
    signature: 'remainder(a, b)',
    doc: 'What is left of a division, with the sign of a.',
    example: '$remainder(-7, 3)',
    call: (context, [left, right]) => {
      spend(context, 2);
      const rest = requireNumber(context, left) % requireNumber(context, right);
      if (Number.isNaN(rest)) throw new NoValue('Division by zero.');
      return rest;
    },
  },
  toJsonText: {
    signature: 'toJsonText(value, indent?)',
    doc: 'JSON text of any value, without spaces or in lines that are indented; a text is in quotes.',
    example: '$toJsonText($input.text)',
    call: (context, [value = null, indent = null]) => writeJson(context, value, indent),
  },
  type: {
    signature: 'type(value)',
    doc: 'The type: null, boolean, number, string, array, object or date.',
    example: '$type($input.count)',
    call: (_, [value]) => typeName(value),
  },
  pairs: {
    signature: 'pairs(object)',
    doc: 'List of [key, value] for every key of an object.',
    example: '$pairs($input.body)',
    call: (context, [value]) => listPairs(context, value),
  },
  toSet: {
    signature: 'toSet(list)',
    doc: 'Every value once; lists and objects all stay, even equal ones.',
    example: '$toSet($input.names)',
    call: (context, [value]) => toSet(context, value),
  },
  formatNumber: {
    signature: 'formatNumber(number, language?, options?)',
    doc: 'Number written as in a language, with the options of Intl.NumberFormat of JavaScript; text stays as it is.',
    example: '$formatNumber(1234.5, "en-US", {"style": "currency", "currency": "USD"})',
    call: formatNumber,
  },
  formatDate: {
    signature: 'formatDate(date, language?, options?)',
    doc: 'Date written as in a language, with the options of Intl.DateTimeFormat of JavaScript; null for null.',
    example: '$formatDate($now, "de-DE", {"dateStyle": "long"})',
    call: formatDateIn,
  },
  dateOf: {
    signature: 'dateOf(value, pattern?, zone?)',
    doc: 'Date of ISO text, of milliseconds since 1970 or of text by a pattern as in format(); null for null.',
    example: '$dateOf("03.02.2026 9:30", "DD.MM.YYYY H:mm")',
    call: dateIn,
  },
  readDate: {
    signature: 'readDate(value)',
    doc: 'Date of ISO text or of Unix time in seconds, also as a text of digits; fails the node for anything else.',
    example: '$readDate("1772600767")',
    call: (context, [value]) => readDate(context, value),
  },
  newDate: {
    signature: 'newDate(value)',
    doc: 'Date of ISO text or of milliseconds since 1970 in the zone of the workflow; a day alone is one in UTC.',
    example: '$newDate($input.created)',
    call: (context, [value]) => newDate(context, value),
  },
};
