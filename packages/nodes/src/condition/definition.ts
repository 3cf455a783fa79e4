import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const condition = defineNode({
  type: 'condition',
  title: 'Condition',
  family: 'flow',
  summary: 'Continues at true or at false, depending on a condition.',
  search_words: ['if', 'filter', 'branch', 'else'],
  icon: 'git-branch',
  params: z.object({
    condition: field
      .condition('Condition', { help: 'A condition that cannot be evaluated counts as false.' })
      .default(true),
    closesJoins: field
      .boolean('Skip nodes that other branches lead to', {
        group: 'Joins',
        help: 'Off: a node behind a branch that is not taken still runs when another node leads to it.',
      })
      .default(true),
  }),
  initial: { condition: '$input.text.length > 0' },
  output: z.object({ branch: z.enum(['true', 'false']) }),
  ports: () => ({ inputs: ['input'], outputs: ['true', 'false'] }),
  traits: { as_tool: false },
});
