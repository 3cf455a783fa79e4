import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { itemsField } from '../kit/values/list/items.ts';

export const sort = defineNode({
  type: 'sort',
  title: 'Sort',
  family: 'data',
  summary: 'Puts a list in order.',
  search_words: ['order by'],
  icon: [['path', { d: 'M7 4v16M3 8l4-4 4 4M17 20V4M13 16l4 4 4-4' }]],
  params: z.object({
    items: itemsField(),
    sortBy: field
      .template('Sort by', {
        placeholder: '-total, name',
        help: 'Fields separated by commas, with - in front for descending. Empty sorts the values themselves.',
      })
      .default(''),
  }),
  initial: { label: 'sort', items: '$input.items', sortBy: '' },
  output: z.object({ items: z.array(z.json()), count: z.int() }),
});
