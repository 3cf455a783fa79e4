import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { itemsField } from '../kit/values/list/items.ts';
import { numeric } from '../kit/values/numeric.ts';

const { params: all } = defineOperations({
  key: 'operation',
  initial: 'field',
  operations: {
    field: { title: 'Take a list out of each item', effect: 'pure', fields: ['splitField', 'keepOthers'] },
    flatten: { title: 'Put lists in the list into one', effect: 'pure', fields: [] },
    parts: { title: 'Make parts of equal size', effect: 'pure', fields: ['size'] },
  },
  fields: {
    items: itemsField(),
    splitField: field
      .template('Field', {
        placeholder: 'lines',
        when_empty: 'Enter the field that holds the list',
        help: 'Each entry of the list in this field becomes an item.',
      })
      .default(''),
    keepOthers: field.boolean('Keep the other fields of the item').default(true),
    size: numeric('Items in a part', { min: 1, max: 1_000_000, integer: true }).default(100),
  },
});

const { onUnknownOutcome: _, ...params } = all;

export const split = defineNode({
  type: 'split',
  title: 'Split',
  family: 'data',
  summary: 'Makes one list of lists inside items, or parts of a long list.',
  search_words: ['split out', 'item lists', 'flatten', 'chunk'],
  icon: [['path', { d: 'M4 12h5l6-6h5M9 12l6 6h5M17 3l3 3-3 3M17 15l3 3-3 3' }]],
  params: z.object(params),
  initial: { label: 'split', operation: 'field', items: '$input.items', splitField: '', keepOthers: true },
  output: z.object({ items: z.array(z.json()), count: z.int() }),
});
