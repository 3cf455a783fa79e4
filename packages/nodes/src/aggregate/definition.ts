import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { itemsField } from '../kit/values/list/items.ts';

export const aggregate = defineNode({
  type: 'aggregate',
  title: 'Aggregate',
  family: 'data',
  summary: 'Groups a list and counts, adds up or collects the values of each group.',
  search_words: ['summarize', 'group by', 'sum', 'average'],
  icon: [['path', { d: 'M18 5H6l6 7-6 7h12' }]],
  params: z.object({
    items: itemsField(),
    groupBy: field
      .template('Group by', {
        placeholder: 'country',
        help: 'Fields separated by commas. Empty makes one group of the whole list.',
      })
      .default(''),
    aggregates: field
      .mappings('Values', {
        mode: 'literal',
        help: 'A name, and what it is: count, sum, average, min, max, first, last, list, distinct, countDistinct or join with a field, such as sum total.',
      })
      .default([{ key: 'count', value: 'count' }]),
    skipEmpty: field
      .boolean('Leave out empty texts', { help: 'Fields without a value are always left out.' })
      .default(false),
  }),
  initial: {
    label: 'aggregate',
    items: '$input.items',
    groupBy: '',
    aggregates: [{ key: 'count', value: 'count' }],
  },
  output: z.object({ groups: z.array(z.record(z.string(), z.json())), count: z.int() }),
});
