import { defineNode } from '@millrace/engine';
import { DAY_MS } from '@millrace/engine/units';
import { z } from 'zod';
import { numeric } from '../kit/values/numeric.ts';

/** 30 days. */
const MAX_DURATION_MS = 30 * DAY_MS;

export const wait = defineNode({
  type: 'wait',
  title: 'Wait',
  family: 'flow',
  summary: 'Pauses for a time and passes its input on.',
  search_words: ['delay', 'sleep', 'pause'],
  icon: 'hourglass',
  params: z.object({
    duration: numeric('Milliseconds', { min: 0, max: MAX_DURATION_MS }).default(1000),
  }),
  initial: { duration: 1000 },
  effect: 'steps',
  traits: { only_waits: true },
});
