import { type Json, type JsonObject, printValue, readJsonText } from '@millrace/engine';
import { implement } from '../implement.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { itemsIn, namesIn, toCanonicalKey, valueAt } from '../kit/values/list/items.ts';
import { compare } from '../kit/values/list/order.ts';
import { parseNumber } from '../kit/values/numeric.ts';
import { objectFromEntries } from '../kit/values/object-keys.ts';
import { aggregate } from './definition.ts';

/** Functions of the values that the items of a group have; items without one are left out. */
type AggregateFunction = (values: readonly Json[], field: string) => Json;

const findDistinct = (values: readonly Json[]): Json[] => [
  ...new Map(values.map((value) => [toCanonicalKey(value), value])).values(),
];

const FUNCTIONS: Readonly<Record<string, AggregateFunction>> = {
  count: (values) => values.length,
  sum: (values, field) => sum(numbersIn(values, field)),
  average: (values, field) => (values.length === 0 ? null : sum(numbersIn(values, field)) / values.length),
  min: (values) => values.toSorted((one, other) => compare(one, other))[0] ?? null,
  max: (values) => values.toSorted((one, other) => compare(one, other, -1))[0] ?? null,
  first: (values) => values[0] ?? null,
  last: (values) => values.at(-1) ?? null,
  list: (values) => [...values],
  distinct: findDistinct,
  countDistinct: (values) => findDistinct(values).length,
  join: (values) => joinTexts(values, ', '),
};

/** Functions that need no field: they take whole items. */
const OF_ITEMS: ReadonlySet<string> = new Set(['list', 'first', 'last', 'distinct', 'countDistinct']);

const joinTexts = (values: readonly Json[], separator: string): string =>
  values.map((value) => printValue(value)).join(separator);

interface Aggregate {
  readonly name: string;
  of(items: readonly Json[]): Json;
}

export const runAggregate = implement(aggregate, ({ params }) => {
  const aggregates = params.aggregates
    .filter(({ key }) => key.trim() !== '')
    .map((row, index) => parseAggregate(row, { index, isEmpty: params.skipEmpty ? isEmptyText : isMissing }));
  const fields = namesIn(params.groupBy);
  const groups = groupItems(itemsIn(params, 'items'), fields).map(({ values, items }): JsonObject => {
    const grouped = fields.map((name, index): [string, Json] => [name, values[index] ?? null]);
    const made = aggregates.map(({ name, of }): [string, Json] => [name, of(items)]);
    return objectFromEntries([...grouped, ...made], 'aggregates');
  });
  return { output: { groups, count: groups.length } };
});

interface Group {
  readonly values: readonly Json[];
  readonly items: Json[];
}

/** In the order of their first items. Without fields everything is one group, an empty list too. */
function groupItems(items: readonly Json[], fields: readonly string[]): Group[] {
  if (fields.length === 0) return [{ values: [], items: [...items] }];
  const groups = new Map<string, Group>();
  for (const item of items) {
    const values = fields.map((name) => valueAt(item, name));
    const key = toCanonicalKey(values);
    const group = groups.get(key);
    if (group) group.items.push(item);
    else groups.set(key, { values, items: [item] });
  }
  return [...groups.values()];
}

/** A function, the separator of `join` as JSON text, and a field. */
const ROW = /^\s*(\w+)\s*("(?:[^"\\]|\\.)*")?\s*(.*?)\s*$/;

function findFunction(word: string, separator: string | undefined): AggregateFunction | undefined {
  if (separator === undefined) return Object.hasOwn(FUNCTIONS, word) ? FUNCTIONS[word] : undefined;
  // The text may have an escape that JSON does not have.
  const text = word === 'join' ? readJsonText(separator) : undefined;
  return typeof text === 'string' ? (values) => joinTexts(values, text) : undefined;
}

const isMissing = (value: Json): boolean => value === null;
const isEmptyText = (value: Json): boolean => value === null || value === '';

function parseAggregate(
  { key, value }: { key: string; value: unknown },
  { index, isEmpty }: { index: number; isEmpty: (value: Json) => boolean },
): Aggregate {
  const name = key.trim();
  const [, word = '', separator, field = ''] = ROW.exec(String(value)) ?? [];
  if (word === 'count' && field === '') return { name, of: (items) => items.length };
  const make = findFunction(word, separator);
  if (!make || (field === '' && !OF_ITEMS.has(word))) {
    throw refusedParam(
      'aggregates',
      `row ${index + 1} must be one of ${Object.keys(FUNCTIONS).join(', ')} with a field, such as sum total`,
    );
  }
  const isLeftOut = field === '' ? isMissing : isEmpty;
  return {
    name,
    of: (items) =>
      make(
        items.map((item) => valueAt(item, field)).filter((found) => !isLeftOut(found)),
        field,
      ),
  };
}

function numbersIn(values: readonly Json[], field: string): number[] {
  return values.map((value) => {
    const number = typeof value === 'string' ? parseNumber(value) : value;
    if (typeof number === 'number') return number;
    throw refusedParam(
      'aggregates',
      `${field} holds ${JSON.stringify(value).slice(0, 40)}, which is no number`,
    );
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
