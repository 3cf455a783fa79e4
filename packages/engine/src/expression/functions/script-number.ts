import { DateValue } from '../dates/date-value.ts';
import { type Context, spendText } from '../evaluate/context.ts';
import { ExpressionError } from '../limits.ts';
import type { FunctionDefinition } from './definition.ts';

/** The longest text in which a number is looked for. */
const MAX_NUMBER_LENGTH = 400;
/** Signs of currencies, and names of them that are in use beside amounts. */
const CURRENCY = /\p{Sc}|CHF|kr|zł|Kč|Ft|RM|Rp|lei/gu;

interface Reading {
  readonly name: string;
  readonly ofText: (text: string) => number;
  readonly ofNumber: (number: number) => number;
}

/** Null for null, lists and objects. Throws ExpressionError `argument` for a text that is no number. */
function readNumber(context: Context, value: unknown, { name, ofText, ofNumber }: Reading): number | null {
  if (typeof value === 'number') return ofNumber(value);
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof DateValue) return value.ms;
  if (typeof value !== 'string') return null;
  spendText(context, value.length);
  const number = value.length > MAX_NUMBER_LENGTH ? Number.NaN : ofText(value.replaceAll(CURRENCY, ''));
  if (Number.isFinite(number)) return number;
  throw new ExpressionError('argument', `${name}() needs a number, and "${value.slice(0, 40)}" is none.`);
}

const INT: Reading = {
  name: 'readInt',
  ofText: (text) => Number.parseInt(text, 10),
  ofNumber: (number) => Number(number.toFixed(0)),
};
const FLOAT: Reading = {
  name: 'readFloat',
  // A comma may stand before decimals or between thousands.
  ofText: (text) => (text.includes(',') ? Number.NaN : Number.parseFloat(text)),
  ofNumber: (number) => number,
};
const NUMBER: Reading = { name: 'readNumber', ofText: Number, ofNumber: (number) => number };

/** Functions that read numbers of data and fail the node where there is none. */
export const scriptNumberFunctions: Readonly<Record<string, FunctionDefinition>> = {
  readInt: {
    signature: 'readInt(value)',
    doc: 'Whole number at the beginning of a text, also behind the sign of a currency, or a rounded number; fails the node for other text.',
    example: '$readInt("€ 12.50")',
    call: (context, [value]) => readNumber(context, value, INT),
  },
  readFloat: {
    signature: 'readFloat(value)',
    doc: 'Number at the beginning of a text, also behind the sign of a currency; fails the node for other text and for one with a comma.',
    example: '$readFloat("€ 12.50")',
    call: (context, [value]) => readNumber(context, value, FLOAT),
  },
  readNumber: {
    signature: 'readNumber(value)',
    doc: 'Number of a text that is one, also with the sign of a currency; fails the node for other text.',
    example: '$readNumber("12.50 €")',
    call: (context, [value]) => readNumber(context, value, NUMBER),
  },
};
