import { defineNode } from '@millrace/engine';
import { z } from 'zod';
import { numeric } from '../kit/values/numeric.ts';

const MAX_INPUTS = 200;

export const merge = defineNode({
  type: 'merge',
  title: 'Merge',
  family: 'flow',
  summary: 'Waits for all connected branches and joins their outputs.',
  search_words: ['combine', 'wait for all'],
  icon: 'merge',
  params: z.object({
    inputCount: numeric('Inputs', {
      min: 1,
      max: MAX_INPUTS,
      integer: true,
      help: 'Number of handles drawn. Handles without an edge do not block.',
    }).default(2),
  }),
  initial: { inputCount: 2 },
  output: z.object({ merged: z.record(z.string(), z.json()) }),
  ports: (data) => ({
    inputs: Array.from({ length: handleCount(data['inputCount']) }, (_, index) => `input-${index}`),
    outputs: ['output'],
  }),
});

function handleCount(stored: unknown): number {
  const count = typeof stored === 'string' || typeof stored === 'number' ? Number(stored) : 2;
  return Number.isFinite(count) ? Math.min(Math.max(Math.trunc(count), 1), MAX_INPUTS) : 2;
}
