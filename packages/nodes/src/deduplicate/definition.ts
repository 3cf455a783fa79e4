import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { itemsField } from '../kit/values/list/items.ts';

export const deduplicate = defineNode({
  type: 'deduplicate',
  title: 'Remove Duplicates',
  family: 'data',
  summary: 'Keeps each item of a list once.',
  search_words: ['unique', 'distinct'],
  icon: [['path', { d: 'M9 9h11v11H9zM15 5V4H4v11h1M12 14.5h5' }]],
  params: z.object({
    items: itemsField(),
    compareBy: field
      .template('Compare by', {
        placeholder: 'email',
        help: 'Fields separated by commas. Empty compares whole items.',
      })
      .default(''),
    keep: field
      .choice('Keep', ['first', 'last'], {
        choices: [
          { value: 'first', title: 'The first of equal items' },
          { value: 'last', title: 'The last of equal items' },
        ],
      })
      .default('first'),
  }),
  initial: { label: 'deduplicate', items: '$input.items', compareBy: '', keep: 'first' },
  output: z.object({ items: z.array(z.json()), count: z.int(), removed: z.int() }),
});
