import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

const round = z.object({
  item: z.json(),
  index: z.int(),
  total: z.int(),
  isFirst: z.boolean(),
  isLast: z.boolean(),
  branch: z.literal('loop'),
});
const end = z.object({ results: z.array(z.json()), total: z.int(), branch: z.literal('done') });

export const loop = defineNode({
  type: 'loop',
  title: 'Loop',
  family: 'flow',
  summary: 'Runs the nodes after it once for each item of a list.',
  search_words: ['loop over items', 'split in batches', 'for each', 'iterate', 'batch'],
  icon: 'repeat',
  traits: { loop: true },
  params: z.object({
    arrayExpression: field
      .raw('List', { help: 'An empty value means no rounds; a single value one round.' })
      .default('$input'),
  }),
  initial: { arrayExpression: '$input.items' },
  output: z.discriminatedUnion('branch', [round, end]),
  ports: () => ({ inputs: ['input', 'loop'], outputs: ['loop', 'done'] }),
});
