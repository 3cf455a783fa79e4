import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { itemsField, othersField } from '../kit/list/items.ts';

export const join = defineNode({
  type: 'join',
  title: 'Join',
  family: 'data',
  summary: 'Puts items of two lists together that have the same key.',
  icon: [['path', { d: 'M4 5h5l6 14h5M4 19h5l2.2-5M13 10l2-5h5' }]],
  params: z.object({
    items: itemsField(),
    others: othersField(),
    joinBy: field
      .template('Key', {
        placeholder: 'id',
        when_empty: 'Enter the field that both lists have',
        help: 'Fields separated by commas, as the first list names them.',
      })
      .default(''),
    otherKey: field
      .template('Key in the other list', { help: 'As many fields. Empty: the same names.' })
      .default(''),
    keep: field
      .choice('Keep', ['both', 'first', 'all'], {
        choices: [
          { value: 'both', title: 'Items with a partner' },
          { value: 'first', title: 'All items of the first list' },
          { value: 'all', title: 'All items of both lists' },
        ],
      })
      .default('both'),
    putInto: field
      .template('Put the other item into', {
        help: 'Name of a field. Empty merges the fields; where both have one, that of the first list stays.',
      })
      .default(''),
  }),
  initial: { label: 'join', items: '$input.items', others: '', joinBy: '', keep: 'both' },
  output: z.object({ items: z.array(z.json()), count: z.int() }),
});
