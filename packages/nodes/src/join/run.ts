import type { Json } from '@millrace/engine';
import type { z } from 'zod';
import { implement } from '../implement.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { addedField, groupedBy, keyIn, objectItem } from '../kit/values/list/by-key.ts';
import { itemsIn, namesIn } from '../kit/values/list/items.ts';
import { join } from './definition.ts';

type Params = z.output<typeof join.params>;

const MOST_ITEMS = 1_000_000;

export const runJoin = implement(join, ({ params }) => {
  const { keep } = params;
  const joined =
    keep === 'matched' || keep === 'unmatched' || keep === 'unmatchedAll' ? chosen(params) : pairs(params);
  return { output: { items: joined, count: joined.length } };
});

/** Items as they are, by whether they have a partner. */
function chosen(params: Params): Json[] {
  const items = itemsIn(params, 'items');
  const others = itemsIn(params, 'others');
  const { names, otherNames } = readJoinKeys(params);
  const partners = keysIn(others, otherNames);
  const isPaired = (item: Json) => partners.has(keyIn(item, names) ?? NO_KEY);
  if (params.keep === 'matched') return items.filter(isPaired);
  const alone = items.filter((item) => !isPaired(item));
  if (params.keep === 'unmatched') return alone;
  const keys = keysIn(items, names);
  return [...alone, ...others.filter((other) => !keys.has(keyIn(other, otherNames) ?? NO_KEY))];
}

/** No key is empty, so that this belongs to none. */
const NO_KEY = '';

const keysIn = (items: readonly Json[], names: readonly string[]): ReadonlySet<string> =>
  new Set(items.flatMap((item) => keyIn(item, names) ?? []));

function pairs(params: Params): Json[] {
  const items = itemsIn(params, 'items');
  const others = itemsIn(params, 'others');
  const { names, otherNames } = readJoinKeys(params);
  const pair = pairing(params);
  const partners = groupedBy(others, otherNames);
  const met = new Set<string>();
  const joined: Json[] = [];
  for (const item of items) {
    const key = keyIn(item, names);
    const found = key === undefined ? undefined : partners.get(key);
    if (key !== undefined && found) {
      met.add(key);
      for (const other of found) joined.push(pair(item, other));
      if (joined.length > MOST_ITEMS) {
        throw refusedParam(
          'joinBy',
          `makes more than ${MOST_ITEMS} items; choose a key that fewer items share`,
        );
      }
    } else if (params.keep !== 'both') {
      joined.push(pair(item, null));
    }
  }
  if (params.keep === 'all') {
    for (const other of others) {
      const key = keyIn(other, otherNames);
      if (key === undefined || !met.has(key)) joined.push(pair(null, other));
    }
  }
  return joined;
}

function readJoinKeys({ joinBy, otherKey }: Params) {
  const names = namesIn(joinBy);
  if (names.length === 0) throw refusedParam('joinBy', 'is empty; enter the field that both lists have');
  const otherNames = otherKey.trim() === '' ? names : namesIn(otherKey);
  if (otherNames.length === names.length) return { names, otherNames };
  throw refusedParam('otherKey', `must name ${names.length} fields, as the key of the first list does`);
}

/** One item of two that belong together; null stands for a partner that is missing. */
function pairing({ putInto, prefer }: Params): (item: Json, other: Json) => Json {
  const name = addedField(putInto, 'putInto');
  const getFields = (item: Json, list: string) => (item === null ? {} : objectItem(item, list));
  if (name !== '') return (item, other) => ({ ...getFields(item, 'items'), [name]: other });
  return (item, other) => {
    const [own, added] = [getFields(item, 'items'), getFields(other, 'others')];
    return prefer === 'other' ? { ...own, ...added } : { ...added, ...own };
  };
}
