import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const jsonOutputMapper = defineNode({
  type: 'jsonOutputMapper',
  title: 'JSON Response',
  family: 'output',
  summary: 'Ends the workflow with an object; as the only end node it is the whole response.',
  search_words: ['respond to webhook', 'return json', 'answer'],
  icon: 'file-json',
  traits: { terminal: 'json' },
  params: z.object({
    mappings: field.mappings('Fields').default([]),
  }),
  initial: { label: 'jsonResponse', mappings: [{ key: 'message', value: '$input.text' }] },
  output: z.record(z.string(), z.json()),
  ports: () => ({ inputs: ['input'], outputs: [] }),
});
