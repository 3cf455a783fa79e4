import type { Json } from '@millrace/engine';
import { implement } from '../implement.ts';
import { itemsIn, namesIn, toCanonicalKey, valueAt } from '../kit/values/list/items.ts';
import { deduplicate } from './definition.ts';

export const runDeduplicate = implement(deduplicate, ({ params }) => {
  const all = itemsIn(params, 'items');
  const names = namesIn(params.compareBy);
  const kept = new Map<string, Json>();
  for (const item of all) {
    const key = toCanonicalKey(names.length === 0 ? item : names.map((name) => valueAt(item, name)));
    // The place in the list stays that of the first of equal items.
    if (params.keep === 'last' || !kept.has(key)) kept.set(key, item);
  }
  const items = [...kept.values()];
  return { output: { items, count: items.length, removed: all.length - items.length } };
});
