import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const disableNode = defineNode({
  type: 'disableNode',
  title: 'Disable Node',
  family: 'flow',
  summary: 'Switches a node of this workflow off, now and for later runs.',
  icon: 'power-off',
  params: z.object({
    targetNodeLabel: field
      .custom(z.string(), 'Node', { kind: 'node_label', when_empty: 'Choose the node to disable' })
      .default(''),
  }),
  initial: { targetNodeLabel: '' },
  output: z.object({ targetNode: z.string(), disabled: z.literal(true) }),
  effect: 'idempotent',
});
