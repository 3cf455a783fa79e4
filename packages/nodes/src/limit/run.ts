import { implement } from '../implement.ts';
import { itemsIn } from '../kit/values/list/items.ts';
import { limit } from './definition.ts';

export const runLimit = implement(limit, ({ params: { maxItems, keep, ...params } }) => {
  const all = itemsIn(params, 'items');
  const items = keep === 'first' ? all.slice(0, maxItems) : all.slice(Math.max(all.length - maxItems, 0));
  return { output: { items, count: items.length, total: all.length } };
});
