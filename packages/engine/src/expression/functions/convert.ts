import { isBlockedKey } from '../../json.ts';
import { DateValue, parseDate } from '../dates/date-value.ts';
import { listElements } from '../evaluate/access.ts';
import { type Context, currentDate, NoValue, produceDate, produceList, spend } from '../evaluate/context.ts';
import { getFrom } from '../methods/object.ts';
import { valueOfJson } from '../methods/string.ts';
import { isTruthy, typeName } from '../values/compare.ts';
import { emptyObject, isObject, type PlainObject } from '../values/settle.ts';
import { pythonText, textIn } from '../values/text.ts';
import { type FunctionDefinition, textArgument } from './definition.ts';

const INTEGER = /^\s*[+-]?[0-9]+\s*$/;
const DECIMAL = /^\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*$/;

function numberFrom(context: Context, value: unknown, pattern: RegExp): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string') spend(context, 1 + Math.min(400, value.length) / 4);
  if (typeof value === 'string' && value.length <= 400 && pattern.test(value)) {
    const parsed = Number(value);
    if (Number.isFinite(parsed)) return parsed;
  }
  throw new NoValue(`This ${typeName(value)} is not a number.`);
}

/** Puts a value under a key of an object of ours; blocked keys are left out. */
export function setEntry(
  context: Context,
  object: PlainObject,
  entry: { key: unknown; value: unknown },
): void {
  const key = typeof entry.key === 'string' ? entry.key : pythonText(textKey(context, entry.key));
  spend(context, 2);
  if (!isBlockedKey(key)) object[key] = entry.value ?? null;
}

function textKey(context: Context, key: unknown): unknown {
  return typeof key === 'object' && key !== null ? textIn(context, key) : key;
}

function dict(
  context: Context,
  values: readonly unknown[],
  named: ReadonlyMap<string, unknown>,
): PlainObject {
  context.built = true;
  const object = emptyObject();
  const [source] = values;
  if (isObject(source)) {
    for (const key of Object.keys(source)) setEntry(context, object, { key, value: source[key] });
  } else if (Array.isArray(source)) {
    for (const pair of source) setEntry(context, object, toPair(pair));
  } else if (source !== undefined) {
    throw new NoValue(`Cannot make an object from ${typeName(source)}.`);
  }
  for (const [key, value] of named) setEntry(context, object, { key, value });
  return object;
}

function toPair(pair: unknown): { key: unknown; value: unknown } {
  if (Array.isArray(pair) && pair.length === 2) return { key: pair[0], value: pair[1] };
  if (isObject(pair) && Object.hasOwn(pair, 'key')) return { key: pair.key, value: pair.value };
  throw new NoValue('Expected pairs of key and value.');
}

export const convertFunctions: Readonly<Record<string, FunctionDefinition>> = {
  str: {
    signature: 'str(value)',
    doc: 'The value as text; true is "True" and null is "None".',
    example: '$str($input.count)',
    call: (context, [value = '']) => (value === null ? pythonText(value) : textIn(context, value)),
  },
  int: {
    signature: 'int(value)',
    doc: 'Whole number of a number (cut off) or of digits.',
    example: '$int($input.price)',
    call: (context, [value = 0]) => Math.trunc(numberFrom(context, value, INTEGER)),
  },
  float: {
    signature: 'float(value)',
    doc: 'Number of a decimal text.',
    example: '$float($input.decimal)',
    call: (context, [value = 0]) => numberFrom(context, value, DECIMAL),
  },
  bool: {
    signature: 'bool(value)',
    doc: 'False for an empty text, 0, an empty list or object, null and false; else true.',
    example: '$bool($input.text)',
    call: (_, [value = null]) => isTruthy(value),
  },
  list: {
    signature: 'list(value?)',
    doc: 'Copy of a list, characters of a text, or keys of an object.',
    example: '$list($input.first)',
    call: (context, values) =>
      produceList(context, values.length === 0 ? [] : [...listElements(context, values[0])]),
  },
  dict: {
    signature: 'dict(key=value, …)',
    doc: 'A new object, also from an object or from pairs.',
    example: '$dict(name=$input.first)',
    call: dict,
  },
  array: {
    signature: 'array(value, …)',
    doc: 'A list of the values.',
    example: '$array(1, 2, 3)',
    call: (context, values) => produceList(context, [...values]),
  },
  get: {
    signature: 'get(object, key, default?)',
    doc: 'The value of a key, or the default when there is none.',
    example: '$get($input.body, "name", "unknown")',
    call: (context, [object, ...rest]) => getFrom(context, object, rest),
  },
  toJson: {
    signature: 'toJson(text)',
    doc: 'The value that a JSON text stands for; fails the node when it stands for none.',
    example: '$toJson($input.json)',
    call: (context, [text]) => valueOfJson(context, textArgument('toJson', text)),
  },
  Date: {
    signature: 'Date(value?)',
    doc: 'Date of ISO text or unix seconds; now, when there is none or it cannot be read.',
    example: '$Date($input.created).addDays(7)',
    call: (context, [value = null]) => {
      if (value instanceof DateValue) return value;
      const parsed = parseDate(value, context.scope.timezone);
      return parsed === null ? currentDate(context) : produceDate(context, parsed);
    },
  },
};
