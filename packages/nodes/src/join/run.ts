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
  const items = itemsIn(params, 'items');
  const others = itemsIn(params, 'others');
  const matches = MATCHERS[params.pairBy](params, items, others);
  const { keep } = params;
  const joined =
    keep === 'matched' || keep === 'unmatched' || keep === 'unmatchedAll'
      ? selectItems(keep, items, matches)
      : makePairs(params, items, matches);
  return { output: { items: joined, count: joined.length } };
});

interface Matches {
  /** For each item of the first list. */
  readonly partners: readonly (readonly Json[])[];
  /** Items of the other list that are no partner of any. */
  readonly left: readonly Json[];
}

type Matcher = (params: Params, items: readonly Json[], others: readonly Json[]) => Matches;

const NONE: readonly Json[] = [];

const matchByKey: Matcher = (params, items, others) => {
  const { names, otherNames } = readJoinKeys(params);
  const groups = groupedBy(others, otherNames);
  const keys = items.map((item) => keyIn(item, names));
  const met = new Set(keys);
  return {
    partners: keys.map((key) => (key === undefined ? NONE : (groups.get(key) ?? NONE))),
    left: others.filter((other) => {
      const key = keyIn(other, otherNames);
      return key === undefined || !met.has(key);
    }),
  };
};

const MATCHERS: Readonly<Record<Params['pairBy'], Matcher>> = {
  key: matchByKey,
  position: (_, items, others) => ({
    partners: items.map((_item, index) => others.slice(index, index + 1)),
    left: others.slice(items.length),
  }),
  every: (_, items, others) => ({
    partners: items.map(() => others),
    left: items.length === 0 ? others : NONE,
  }),
};

/** Items as they are, by whether they have a partner. */
function selectItems(
  keep: 'matched' | 'unmatched' | 'unmatchedAll',
  items: readonly Json[],
  { partners, left }: Matches,
): Json[] {
  const hasPartner = (index: number) => (partners[index] ?? NONE).length > 0;
  if (keep === 'matched') return items.filter((_, index) => hasPartner(index));
  const alone = items.filter((_, index) => !hasPartner(index));
  return keep === 'unmatched' ? alone : [...alone, ...left];
}

function makePairs(params: Params, items: readonly Json[], { partners, left }: Matches): Json[] {
  const pair = pairing(params);
  const joined: Json[] = [];
  for (const [index, item] of items.entries()) {
    const found = partners[index] ?? NONE;
    if (joined.length + found.length > MOST_ITEMS) throw refuseSize(params);
    for (const other of found) joined.push(pair(item, other));
    if (found.length === 0 && params.keep !== 'both') joined.push(pair(item, null));
  }
  if (params.keep === 'all') for (const other of left) joined.push(pair(null, other));
  return joined;
}

const refuseSize = ({ pairBy }: Params) =>
  pairBy === 'key'
    ? refusedParam('joinBy', `makes more than ${MOST_ITEMS} items; choose a key that fewer items share`)
    : refusedParam('pairBy', `makes more than ${MOST_ITEMS} items; shorten one of the lists`);

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
