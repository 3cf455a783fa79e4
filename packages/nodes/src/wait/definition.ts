import { defineNode } from '@millrace/engine';
import { z } from 'zod';
import { numeric } from '../shared/numeric.ts';

/** Longest pause of a run that keeps its place in memory: 30 days. */
const MAX_DURATION_MS = 30 * 24 * 60 * 60 * 1000;

export const wait = defineNode({
  type: 'wait',
  title: 'Wait',
  family: 'flow',
  summary: 'Pauses for a time and passes its input on.',
  icon: 'hourglass',
  params: z.object({
    duration: numeric('Milliseconds', { min: 0, max: MAX_DURATION_MS }).default(1000),
  }),
  initial: { duration: 1000 },
  // Safe to repeat, and the journal keeps the first start, so a restart waits for the rest only.
  effect: 'read',
});
