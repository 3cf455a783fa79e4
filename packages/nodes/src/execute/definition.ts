import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const execute = defineNode({
  type: 'execute',
  title: 'Execute Workflow',
  family: 'flow',
  summary: 'Runs another workflow and returns its outputs.',
  search_words: ['execute sub-workflow', 'call workflow'],
  icon: 'workflow',
  params: z.object({
    executeWorkflowId: field
      .custom(z.string(), 'Workflow', { kind: 'workflow', when_empty: 'Choose the workflow to execute' })
      .default(''),
    executeInputMappings: field
      .mappings('Inputs', { mode: 'raw', help: 'Passed to the other workflow as its body.' })
      .default([]),
    executeInput: field
      .raw('Input', {
        help: 'Used when there are no rows above. Text becomes {text}; empty passes the first input on.',
      })
      .default(''),
    executeDoNotWait: field
      .boolean('Do not wait', { help: 'Starts the other workflow and continues at once.' })
      .default(false),
  }),
  initial: {
    executeWorkflowId: '',
    executeInputMappings: [],
    executeInput: '$input.text',
    executeDoNotWait: false,
  },
  output: z.union([
    z.object({
      workflow_id: z.string(),
      status: z.string(),
      outputs: z.json(),
      execution_time_ms: z.number(),
    }),
    z.object({ status: z.literal('dispatched'), workflow_id: z.string() }),
  ]),
  effect: 'steps',
});
