import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const output = defineNode({
  type: 'output',
  title: 'Output',
  family: 'output',
  summary: 'Ends the workflow with a result, or answers early and continues.',
  search_words: ['respond to webhook', 'return', 'result', 'answer'],
  icon: 'log-out',
  traits: { terminal: 'output', error_settings: false },
  params: z.object({
    message: field.value('Result', { help: 'Empty returns all inputs by label.' }).default(''),
    outputSchema: field
      .mappings('Result fields', { help: 'When there are rows, the result is an object made of them.' })
      .default([]),
    allowDownstream: field
      .boolean('Answer early', {
        help: 'The caller gets the result at once, and the nodes after it still run.',
      })
      .default(false),
  }),
  initial: { message: '$input.text', allowDownstream: false },
  output: z.object({ result: z.json() }),
  ports: (data) => ({ inputs: ['input'], outputs: data['allowDownstream'] === true ? ['output'] : [] }),
});
