import { type Context, NoValue, produceList, produceText, spend, spendText } from '../evaluate/context.ts';
import { ItemFunction } from '../evaluate/item-function.ts';
import { listContains } from '../evaluate/operators.ts';
import { indexByName, type MethodDefinition } from '../functions/definition.ts';
import { ExpressionError } from '../limits.ts';
import { SORT_WORDS } from '../syntax/parse.ts';
import { compareOrder, isEqual, isTruthy, typeName } from '../values/compare.ts';
import { emptyObject } from '../values/settle.ts';
import { jsonIn, textIn } from '../values/text.ts';

type List = readonly unknown[];
type ListMethod = MethodDefinition<List>;

function simple(name: string, doc: string, call: ListMethod['call']): ListMethod {
  return { signature: `${name}()`, doc, example: `$input.names.${name}()`, call };
}

/** Lists that hold the same values as their source need no settling, only paying. */
function pick(context: Context, list: unknown[]): unknown[] {
  spend(context, 1 + list.length);
  return list;
}

export function mapList(context: Context, list: List, [each]: readonly unknown[]): unknown[] | null {
  if (!(each instanceof ItemFunction)) return null;
  const mapped: unknown[] = [];
  for (const item of list) mapped.push(each.call(context, item));
  return produceList(context, mapped);
}

export function filterList(context: Context, list: List, [each]: readonly unknown[]): unknown[] | null {
  if (!(each instanceof ItemFunction)) return null;
  const kept: unknown[] = [];
  for (const item of list) {
    if (isTruthy(each.call(context, item))) kept.push(item);
  }
  return kept;
}

/** Joins texts; what is null adds nothing. */
export function joinList(context: Context, list: List, separator: string): string {
  spendText(context, Math.max(0, list.length - 1) * separator.length);
  const texts = list.map((item) => textIn(context, item));
  return produceText(context, texts.join(separator));
}

/** Each value once, in the order of first occurrence. */
function distinctList(context: Context, list: List, getKey: (item: unknown) => unknown): unknown[] {
  const seen = new Set<unknown>();
  const kept: unknown[] = [];
  for (const item of list) {
    const key = getKey(item);
    spend(context, 10);
    const identity = typeof key === 'object' && key !== null ? `\u0000${jsonIn(context, key)}` : key;
    if (seen.has(identity)) continue;
    seen.add(identity);
    kept.push(item);
  }
  return pick(context, kept);
}

function flatten(context: Context, list: List, depth: number): unknown[] {
  const flat: unknown[] = [];
  const walk = (items: List, level: number): void => {
    for (const item of items) {
      spend(context, 1);
      if (Array.isArray(item) && level > 0) walk(item, level - 1);
      else flat.push(item);
    }
  };
  walk(list, Math.min(depth, 200));
  return flat;
}

const isSortWord = (value: unknown): boolean => typeof value === 'string' && SORT_WORDS.has(value);

/** Sorts by a key; null comes last in both directions. */
function sortList(context: Context, list: List, values: readonly unknown[]): unknown[] | null {
  const each = values.find((value) => value instanceof ItemFunction);
  const descending = values.includes('desc');
  if (values.some((value) => value !== each && value !== null && !isSortWord(value))) return null;
  const compare = values.includes('words') ? compareWords : compareSafely;
  const keyed = list.map((item) => ({ item, key: each === undefined ? item : each.call(context, item) }));
  spend(context, keyed.length * 2);
  keyed.sort((left, right) => {
    spend(context, 4);
    if (left.key === null || right.key === null)
      return Number(left.key === null) - Number(right.key === null);
    const order = compare(context, left.key, right.key);
    return descending ? -order : order;
  });
  return keyed.map((entry) => entry.item);
}

/** Made at the first use: it takes 10 ms, which no start has to wait for. */
let dictionary: Intl.Collator | undefined;

/** Order of words in a dictionary: upper case and accents count only between equal letters. */
function compareWords(context: Context, left: unknown, right: unknown): number {
  if (typeof left !== 'string' || typeof right !== 'string') return compareSafely(context, left, right);
  spend(context, 10 + Math.min(left.length, right.length));
  dictionary ??= new Intl.Collator('en-US');
  return dictionary.compare(left, right);
}

/** Values without a common order are grouped by type, so that sorting never fails. */
export function compareSafely(context: Context, left: unknown, right: unknown): number {
  try {
    return compareOrder(context, left, right);
  } catch (error) {
    if (!(error instanceof NoValue)) throw error;
    spend(context, 50);
    const leftType = typeName(left);
    const rightType = typeName(right);
    return leftType < rightType ? -1 : leftType > rightType ? 1 : 0;
  }
}

/** Each element with one more value beside it, as the `item` of an item expression. */
function beside(
  context: Context,
  name: string,
  { other, value }: { other: unknown; value: unknown },
): unknown {
  spend(context, 4);
  const pair = emptyObject();
  pair[name] = other ?? null;
  pair.value = value ?? null;
  return pair;
}

function reduceList(context: Context, list: List, [each, ...start]: readonly unknown[]): unknown {
  if (!(each instanceof ItemFunction)) return null;
  context.built = true;
  const [first, ...others] = list;
  spend(context, list.length);
  const [from, rest] = start.length === 0 ? [first, others] : [start[0], list];
  let total: unknown = from ?? null;
  for (const value of rest) total = each.call(context, beside(context, 'total', { other: total, value }));
  return total;
}

/** Throws ExpressionError `argument` when the size is not a whole number from 1. */
function chunkList(context: Context, list: List, [size]: readonly unknown[]): unknown[] {
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 1)
    throw new ExpressionError('argument', 'chunk() needs a whole number from 1.');
  spend(context, list.length);
  const chunks: unknown[] = [];
  for (let at = 0; at < list.length; at += size) chunks.push(list.slice(at, at + size));
  return produceList(context, chunks);
}

function take(context: Context, list: List, [count]: readonly unknown[]): unknown[] | null {
  if (typeof count !== 'number' || !Number.isInteger(count)) return null;
  return pick(context, count < 0 ? list.slice(count) : list.slice(0, count));
}

export const listMethods: Readonly<Record<string, ListMethod>> = {
  length: {
    signature: 'length',
    doc: 'Number of elements.',
    example: '$input.items.length',
    property: true,
    call: (_, self) => self.length,
  },
  first: simple('first', 'The first element, or null.', (_, self) => self[0]),
  last: simple('last', 'The last element, or null.', (_, self) => self.at(-1)),
  random: simple('random', 'Any one element, or null.', (context, self) =>
    self.length === 0
      ? null
      : self[Math.min(self.length - 1, Math.floor(context.scope.random() * self.length))],
  ),
  reverse: simple('reverse', 'Elements in reverse order.', (context, self) =>
    pick(context, self.toReversed()),
  ),
  join: {
    signature: 'join(separator?)',
    doc: 'One text of all elements, with commas between them unless it says otherwise.',
    example: '$input.names.join(", ")',
    call: (context, self, [separator = ',']) =>
      typeof separator === 'string' ? joinList(context, self, separator) : null,
  },
  count: {
    signature: 'count(value)',
    doc: 'How often a value occurs.',
    example: '$input.names.count("Ada")',
    call: (context, self, [value = null]) => {
      spend(context, self.length);
      return self.filter((item) => isEqual(context, item, value)).length;
    },
  },
  index: {
    signature: 'index(value)',
    doc: 'Position of the first occurrence of a value, or null.',
    example: '$input.names.index("Ada")',
    call: (context, self, [value = null]) => {
      spend(context, self.length);
      const position = self.findIndex((item) => isEqual(context, item, value));
      return position < 0 ? null : position;
    },
  },
  distinct: simple('distinct', 'Every value once.', (context, self) =>
    distinctList(context, self, (item) => item),
  ),
  distinctBy: {
    signature: 'distinctBy("item…")',
    doc: 'The first element for every value of an item expression.',
    example: '$input.items.distinctBy("item.id")',
    call: (context, self, [each]) =>
      each instanceof ItemFunction ? distinctList(context, self, (item) => each.call(context, item)) : null,
  },
  flat: {
    signature: 'flat(depth?)',
    doc: 'Lists inside the list are replaced by their elements, one level deep by default.',
    example: '$input.nested.flat()',
    call: (context, self, [depth = 1]) => (typeof depth === 'number' ? flatten(context, self, depth) : null),
  },
  notNull: {
    signature: 'notNull()',
    doc: 'Elements that are not null.',
    example: '$input.gaps.notNull()',
    call: (context, self) =>
      pick(
        context,
        self.filter((item) => item !== null && item !== undefined),
      ),
  },
  add: {
    signature: 'add(value)',
    doc: 'A new list with one more element at its end.',
    example: '$vars.list.add($input.count)',
    call: (context, self, values) =>
      values.length === 0 ? null : produceList(context, [...self, values[0] ?? null]),
  },
  contains: {
    signature: 'contains(value)',
    doc: 'True when an element equals the value.',
    example: '$input.prices.contains(3)',
    aliases: ['includes'],
    call: (context, self, [wanted]) => listContains(context, self, wanted ?? null),
  },
  indexOf: {
    signature: 'indexOf(value, from?)',
    doc: 'Position of the first equal element at or behind a position, or -1. A position below 0 counts from the end.',
    example: '$input.prices.indexOf(3)',
    call: (context, self, [wanted, from = 0]) => {
      if (!Number.isSafeInteger(from)) return null;
      spend(context, self.length);
      const start = Number(from) < 0 ? self.length + Number(from) : Number(from);
      return self.findIndex((item, index) => index >= start && isEqual(context, item, wanted ?? null));
    },
  },
  filter: {
    signature: 'filter("item…")',
    doc: 'Elements for which an item expression is true.',
    example: '$input.items.filter("item.price > 3")',
    call: filterList,
  },
  map: {
    signature: 'map("item…")',
    doc: 'The value of an item expression for every element.',
    example: '$input.items.map("item.name")',
    call: mapList,
  },
  sort: {
    signature: 'sort("item…"?, "asc" | "desc", "words"?)',
    doc: 'Sorted by the elements or by an item expression; null comes last. With "words" in dictionary order.',
    example: '$input.items.sort("item.price", "desc")',
    call: sortList,
  },
  reduce: {
    signature: 'reduce("item…", start?)',
    doc: 'One value from all elements: the item expression makes the next item.total from item.total and item.value.',
    example: '$input.prices.reduce("item.total + item.value", 0)',
    call: reduceList,
  },
  withIndex: {
    signature: 'withIndex()',
    doc: 'List of {index, value}, counted from 0.',
    example: '$input.prices.withIndex()',
    call: (context, self) =>
      produceList(
        context,
        self.map((value, index) => beside(context, 'index', { other: index, value })),
      ),
  },
  chunk: {
    signature: 'chunk(n)',
    doc: 'Lists of n elements each; the last one may be shorter.',
    example: '$input.names.chunk(3)',
    call: chunkList,
  },
  take: {
    signature: 'take(n)',
    doc: 'The first n elements, or the last ones when n is negative.',
    example: '$input.prices.take(2)',
    call: take,
  },
  toString: simple('toString', 'JSON text.', (context, self) => jsonIn(context, self)),
};

export const listMethodsByName = indexByName(listMethods);
