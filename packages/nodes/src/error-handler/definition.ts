import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const errorHandler = defineNode({
  type: 'errorHandler',
  title: 'Error Handler',
  family: 'flow',
  summary: 'Starts the nodes that run once after the first error.',
  search_words: ['error trigger', 'catch', 'on error'],
  icon: 'shield-alert',
  traits: { schedule: 'error_flow', error_settings: false },
  params: z.object({
    message: field.template('Message', { placeholder: '$error.message' }).default(''),
  }),
  initial: { message: '$error.message' },
  output: z.object({
    error: z.looseObject({
      node_id: z.string(),
      node_label: z.string(),
      node_type: z.string(),
      message: z.string(),
    }),
    /** Label and type of the node that failed, and when the handler started, as ISO 8601 text. */
    errorNode: z.string(),
    errorNodeType: z.string(),
    timestamp: z.string(),
    message: z.string().optional(),
  }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
});
