import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const set = defineNode({
  type: 'set',
  title: 'Set',
  family: 'data',
  summary: 'Builds an object from names and values.',
  search_words: ['edit fields', 'rename keys', 'map', 'transform'],
  icon: 'braces',
  params: z.object({
    mappings: field
      .mappings('Fields', { help: 'Rows without a name are skipped; the last row with a name wins.' })
      .default([]),
  }),
  initial: { mappings: [{ key: 'text', value: '$input.text' }] },
  output: z.record(z.string(), z.json()),
});
