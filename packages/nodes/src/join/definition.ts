import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { itemsField, othersField } from '../kit/values/list/items.ts';

export const join = defineNode({
  type: 'join',
  title: 'Join',
  family: 'data',
  summary: 'Puts items of two lists together, by a key or by their place.',
  search_words: ['lookup', 'merge by key', 'combine'],
  icon: [['path', { d: 'M4 5h5l6 14h5M4 19h5l2.2-5M13 10l2-5h5' }]],
  params: z.object({
    items: itemsField(),
    others: othersField(),
    pairBy: field
      .choice('Partners are', ['key', 'position', 'every'], {
        choices: [
          { value: 'key', title: 'Items with the same key' },
          { value: 'position', title: 'Items at the same place' },
          { value: 'every', title: 'All items of the other list' },
        ],
      })
      .default('key'),
    joinBy: field
      .template('Key', {
        placeholder: 'id',
        when_empty: 'Enter the field that both lists have',
        help: 'Fields separated by commas, as the first list names them.',
        shown_when: [{ field: 'pairBy', is: ['key'] }],
      })
      .default(''),
    otherKey: field
      .template('Key in the other list', {
        help: 'As many fields. Empty: the same names.',
        shown_when: [{ field: 'pairBy', is: ['key'] }],
      })
      .default(''),
    keep: field
      .choice('Keep', ['both', 'first', 'all', 'matched', 'unmatched', 'unmatchedAll'], {
        choices: [
          { value: 'both', title: 'Items with a partner' },
          { value: 'first', title: 'All items of the first list' },
          { value: 'all', title: 'All items of both lists' },
          { value: 'matched', title: 'Items of the first list with a partner, unchanged' },
          { value: 'unmatched', title: 'Items of the first list without a partner' },
          { value: 'unmatchedAll', title: 'Items of both lists without a partner' },
        ],
      })
      .default('both'),
    putInto: field
      .template('Put the other item into', {
        help: 'Name of a field. Empty merges the fields.',
        shown_when: [{ field: 'keep', is: ['both', 'first', 'all'] }],
      })
      .default(''),
    prefer: field
      .choice('Where both have a field', ['first', 'other'], {
        choices: [
          { value: 'first', title: 'Keep that of the first list' },
          { value: 'other', title: 'Keep that of the other list' },
        ],
        shown_when: [{ field: 'keep', is: ['both', 'first', 'all'] }],
      })
      .default('first'),
  }),
  initial: { label: 'join', items: '$input.items', others: '', joinBy: '', keep: 'both' },
  output: z.object({ items: z.array(z.json()), count: z.int() }),
});
