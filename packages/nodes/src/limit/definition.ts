import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { itemsField } from '../kit/values/list/items.ts';
import { numeric } from '../kit/values/numeric.ts';

export const limit = defineNode({
  type: 'limit',
  title: 'Limit',
  family: 'data',
  summary: 'Keeps the first or the last items of a list.',
  search_words: ['take', 'head', 'top'],
  icon: [['path', { d: 'M4 6h16M4 12h16M4 18h7M15 16l4 4M19 16l-4 4' }]],
  params: z.object({
    items: itemsField(),
    maxItems: numeric('At most', { min: 0, max: 1_000_000, integer: true }).default(1),
    keep: field
      .choice('Keep', ['first', 'last'], {
        choices: [
          { value: 'first', title: 'The first items' },
          { value: 'last', title: 'The last items' },
        ],
      })
      .default('first'),
  }),
  initial: { label: 'limit', items: '$input.items', maxItems: 1, keep: 'first' },
  output: z.object({ items: z.array(z.json()), count: z.int(), total: z.int() }),
});
