import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const wordCount = defineNode({
  type: 'wordCount',
  title: 'Word count',
  family: 'data',
  summary: 'Counts the words of a text.',
  icon: 'braces',
  params: z.object({
    text: field.template('Text', { help: 'Words are separated by white space.' }).default('$input.text'),
  }),
  initial: { label: 'wordCount', text: '$input.text' },
  output: z.object({ words: z.int() }),
});
