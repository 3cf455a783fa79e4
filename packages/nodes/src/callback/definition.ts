import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { numeric } from '../kit/values/numeric.ts';

/** One year. */
const MAX_TIMEOUT_SECONDS = 366 * 24 * 60 * 60;

export const callback = defineNode({
  type: 'callback',
  title: 'Callback',
  family: 'flow',
  summary: 'Waits for one HTTP call to its own address.',
  search_words: ['wait for webhook', 'resume'],
  icon: 'phone-incoming',
  params: z.object({
    timeoutSeconds: numeric('Seconds until it continues without a call', {
      min: 1,
      max: MAX_TIMEOUT_SECONDS,
    }).default(86_400),
    title: field
      .template('Title of the page', { help: 'Shown to a person who opens the address in a browser.' })
      .default(''),
    message: field.template('Text of the page').default(''),
  }),
  initial: { timeoutSeconds: 86_400 },
  output: z.union([
    z.object({
      method: z.string(),
      body: z.json(),
      query: z.record(z.string(), z.json()),
      headers: z.record(z.string(), z.string()),
    }),
    z.object({ timed_out: z.literal(true) }),
  ]),
  ports: () => ({
    inputs: ['input'],
    outputs: ['waiting', 'called', 'timed_out'],
    at_pause: ['waiting'],
  }),
  effect: 'steps',
  traits: { only_waits: true },
});
