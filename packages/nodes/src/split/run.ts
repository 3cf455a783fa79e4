import type { Json } from '@millrace/engine';
import type { z } from 'zod';
import { implement } from '../implement.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { addedField, objectItem } from '../kit/values/list/by-key.ts';
import { itemsIn, valueAt } from '../kit/values/list/items.ts';
import { split } from './definition.ts';

type Params = z.output<typeof split.params>;

export const runSplit = implement(split, ({ params }) => {
  const items = splitBy(params, itemsIn(params, 'items'));
  return { output: { items, count: items.length } };
});

function splitBy(params: Params, items: readonly Json[]): Json[] {
  const { operation } = params;
  switch (operation) {
    case 'field':
      return items.flatMap(taking(params));
    case 'flatten':
      return items.flatMap((item) => item);
    case 'parts': {
      const parts: Json[] = [];
      for (let at = 0; at < items.length; at += params.size) parts.push(items.slice(at, at + params.size));
      return parts;
    }
    default:
      return operation satisfies never;
  }
}

/** An item for each entry of the list in its field; a value that is no list is one entry, and none gives no item. */
function taking({ splitField, keepOthers }: Params): (item: Json) => Json[] {
  const name = addedField(splitField, 'splitField');
  if (name === '') throw refusedParam('splitField', 'is empty; enter the field that holds the list');
  return (item) => {
    const others = objectItem(item, 'items');
    const value = valueAt(item, name);
    const entries = Array.isArray(value) ? value : value === null ? [] : [value];
    return keepOthers ? entries.map((entry) => ({ ...others, [name]: entry })) : entries;
  };
}
