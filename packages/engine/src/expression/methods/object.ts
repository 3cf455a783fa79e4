import { getElement } from '../evaluate/access.ts';
import { type Context, produceList, produceText, spend, spendText } from '../evaluate/context.ts';
import { indexByName, type MethodDefinition } from '../functions/definition.ts';
import { ExpressionError, MAX_VALUE_DEPTH } from '../limits.ts';
import { emptyObject, isObject, type PlainObject } from '../values/settle.ts';
import { jsonIn, textIn } from '../values/text.ts';
import { encodeForm } from '../values/url.ts';
import { filterList, mapList } from './list.ts';

type ObjectMethod = MethodDefinition<PlainObject>;

/** `[{key, value}]` for every own key. */
export function toEntries(context: Context, object: PlainObject): unknown[] {
  spend(context, 10);
  const entries = Object.keys(object).map((key) => {
    const entry = emptyObject();
    entry.key = key;
    entry.value = object[key];
    return entry;
  });
  spend(context, entries.length * 4);
  return produceList(context, entries);
}

/** The value of a key or position, or the default. */
export function getFrom(
  context: Context,
  value: unknown,
  [key, otherwise = null]: readonly unknown[],
): unknown {
  return getElement(context, value, key) ?? otherwise;
}

/** As forms are sent: `a=b&c=d` with "+" for spaces. */
function writeQuery(context: Context, object: PlainObject): string {
  const pairs = Object.entries(object).map(([key, value]) => {
    const text = value === null ? 'null' : writeQueryText(context, { key, value });
    spendText(context, (key.length + text.length) * 3);
    return `${encodeForm(key)}=${encodeForm(text)}`;
  });
  return produceText(context, pairs.join('&'));
}

/** Lists are one text with commas. Throws ExpressionError `argument` for objects, which queries have no form for. */
function writeQueryText(
  context: Context,
  { key, value }: { key: string; value: unknown },
  depth = 0,
): string {
  if (typeof value === 'boolean') return String(value);
  if (depth > MAX_VALUE_DEPTH) throw new ExpressionError('too_deep', 'The value is nested too deep.');
  if (Array.isArray(value)) {
    spend(context, value.length * 4);
    return value.map((item) => writeQueryText(context, { key, value: item }, depth + 1)).join(',');
  }
  if (isObject(value)) {
    const name = key.slice(0, 40);
    throw new ExpressionError(
      'argument',
      `urlEncode() cannot write the object in "${name}"; give it a text.`,
    );
  }
  return textIn(context, value);
}

export const objectMethods: Readonly<Record<string, ObjectMethod>> = {
  length: {
    signature: 'length',
    doc: 'Number of keys.',
    example: '$input.body.length',
    property: true,
    call: (_, self) => Object.keys(self).length,
  },
  get: {
    signature: 'get(key, default?)',
    doc: 'The value of a key, or the default when there is none.',
    example: '$input.body.get("name", "unknown")',
    call: getFrom,
  },
  keys: {
    signature: 'keys()',
    doc: 'List of the keys.',
    example: '$input.body.keys()',
    call: (context, self) => produceList(context, Object.keys(self)),
  },
  values: {
    signature: 'values()',
    doc: 'List of the values.',
    example: '$input.body.values()',
    call: (context, self) => produceList(context, Object.values(self)),
  },
  entries: {
    signature: 'entries()',
    doc: 'List of {key, value}.',
    example: '$input.body.entries()',
    aliases: ['items'],
    call: toEntries,
  },
  map: {
    signature: 'map("item…")',
    doc: 'The value of an item expression for every {key, value}.',
    example: '$input.body.map("item.key")',
    call: (context, self, values) => mapList(context, toEntries(context, self), values),
  },
  filter: {
    signature: 'filter("item…")',
    doc: 'The {key, value} entries for which an item expression is true.',
    example: '$input.body.filter("item.value > 3")',
    call: (context, self, values) => filterList(context, toEntries(context, self), values),
  },
  urlEncode: {
    signature: 'urlEncode()',
    doc: 'The keys and values as the query of an address, such as a=b&c=d.',
    example: '$input.body.urlEncode()',
    call: writeQuery,
  },
  toString: {
    signature: 'toString()',
    doc: 'JSON text.',
    example: '$input.body.toString()',
    call: (context: Context, self: PlainObject) => jsonIn(context, self),
  },
};

export const objectMethodsByName = indexByName(objectMethods);
