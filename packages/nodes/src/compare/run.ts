import type { Json } from '@millrace/engine';
import { implement } from '../implement.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { groupedBy, keyIn, objectItem } from '../kit/values/list/by-key.ts';
import { itemsIn, namesIn, toCanonicalKey, valueAt } from '../kit/values/list/items.ts';
import { compare } from './definition.ts';

export const runCompare = implement(compare, ({ params }) => {
  const items = itemsIn(params, 'items');
  const others = itemsIn(params, 'others');
  const names = namesIn(params.compareBy);
  if (names.length === 0) throw refusedParam('compareBy', 'is empty; enter the field that tells items apart');
  const ignored = new Set(namesIn(params.ignore));
  const partners = groupedBy(others, names);
  /** How many items of a key have had a partner. */
  const paired = new Map<string, number>();
  const only_first: Json[] = [];
  const same: Json[] = [];
  const different: { first: Json; other: Json; fields: string[] }[] = [];
  for (const first of items) {
    const key = keyIn(first, names);
    // The first with the first of the same key, the second with the second.
    const place = key === undefined ? 0 : (paired.get(key) ?? 0);
    const other = key === undefined ? undefined : partners.get(key)?.[place];
    if (key === undefined || other === undefined) only_first.push(first);
    else {
      paired.set(key, place + 1);
      const fields = differing(first, other).filter((name) => !ignored.has(name));
      if (fields.length === 0) same.push(first);
      else different.push({ first, other, fields });
    }
  }
  const only_other = others.filter((other) => {
    const key = keyIn(other, names);
    const rest = key === undefined ? 0 : (paired.get(key) ?? 0);
    if (key !== undefined && rest > 0) paired.set(key, rest - 1);
    return rest === 0;
  });
  const is_same = only_first.length + only_other.length + different.length === 0;
  return { output: { only_first, only_other, same, different, is_same } };
});

/** Fields whose values are not equal; null and a field that is missing are. */
function differing(first: Json, other: Json): string[] {
  const one = objectItem(first, 'items');
  const two = objectItem(other, 'others');
  return [...new Set([...Object.keys(one), ...Object.keys(two)])].filter(
    (name) => toCanonicalKey(valueAt(one, name)) !== toCanonicalKey(valueAt(two, name)),
  );
}
