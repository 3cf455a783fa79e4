import { implement } from '../implement.ts';
import { itemsIn, namesIn, valueAt } from '../kit/values/list/items.ts';
import { compare } from '../kit/values/list/order.ts';
import { sort } from './definition.ts';

export const runSort = implement(sort, ({ params }) => {
  const fields = namesIn(params.sortBy).map((name) =>
    name.startsWith('-')
      ? ({ name: name.slice(1).trim(), direction: -1 } as const)
      : ({ name, direction: 1 } as const),
  );
  const keys = fields.length === 0 ? [{ name: '', direction: 1 } as const] : fields;
  // Items that are equal keep their order.
  const items = itemsIn(params, 'items').toSorted((one, other) => {
    for (const { name, direction } of keys) {
      const order = compare(valueAt(one, name), valueAt(other, name), direction);
      if (order !== 0) return order;
    }
    return 0;
  });
  return { output: { items, count: items.length } };
});
