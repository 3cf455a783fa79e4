import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { itemsField, othersField } from '../kit/values/list/items.ts';

export const compare = defineNode({
  type: 'compare',
  title: 'Compare',
  family: 'data',
  summary: 'Says which items only one of two lists has, and which differ.',
  search_words: ['compare datasets', 'diff'],
  icon: [['path', { d: 'M4 5h6v14H4zM14 5h6v14h-6zM6 9h2M6 13h2M16 9h2M16 13h2' }]],
  params: z.object({
    items: itemsField(),
    others: othersField(),
    compareBy: field
      .template('Key', {
        placeholder: 'id',
        when_empty: 'Enter the field that tells items apart',
        help: 'Fields separated by commas, which both lists have.',
      })
      .default(''),
    ignore: field
      .template('Do not compare', { help: 'Fields separated by commas that may differ, such as updated_at.' })
      .default(''),
  }),
  initial: { label: 'compare', items: '$input.items', others: '', compareBy: '' },
  output: z.object({
    only_first: z.array(z.json()),
    only_other: z.array(z.json()),
    same: z.array(z.json()),
    different: z.array(z.object({ first: z.json(), other: z.json(), fields: z.array(z.string()) })),
    is_same: z.boolean(),
  }),
});
