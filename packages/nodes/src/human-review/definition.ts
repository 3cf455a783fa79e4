import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { numeric } from '../kit/values/numeric.ts';

/** Lifetime of a review link in hours, unless the node says otherwise. */
const DEFAULT_HOURS = 168;
/** One year. */
const MAX_HOURS = 366 * 24;

const decided = z.object({
  text: z.string(),
  decision: z.enum(['accepted', 'edited', 'refused']),
  summary: z.string(),
  originalDraft: z.string(),
  reviewText: z.string(),
  approvedMarkdown: z.string(),
  requestId: z.string(),
  editedText: z.string().optional(),
  refusalReason: z.string().optional(),
  reviewerName: z.string().optional(),
  hitlHistory: z.array(z.record(z.string(), z.json())),
});
const late = z.object({
  timed_out: z.literal(true),
  text: z.literal(''),
  summary: z.string(),
  originalDraft: z.string(),
  requestId: z.string(),
});

export const humanReview = defineNode({
  type: 'humanReview',
  title: 'Human Review',
  family: 'flow',
  summary: 'Asks a person to accept, edit or refuse a text before the run continues.',
  search_words: ['approval', 'send and wait', 'human in the loop'],
  icon: 'user-check',
  params: z.object({
    summary: field
      .template('What is to be decided', {
        help: 'Shown above the draft, and part of the text that is shared with the link.',
        placeholder: 'Please check the answer to $order.customer',
      })
      .default(''),
    draft: field
      .template('Draft', {
        kind: 'multiline',
        help: 'The text to review, as Markdown.',
        when_empty: 'Enter the text to review',
      })
      .default('$input.text'),
    expiresInHours: numeric('Hours until it continues without a decision', {
      min: 0.01,
      max: MAX_HOURS,
    }).default(DEFAULT_HOURS),
  }),
  initial: { label: 'humanReview', draft: '$input.text', expiresInHours: DEFAULT_HOURS },
  output: z.union([decided, late]),
  ports: () => ({
    inputs: ['input'],
    outputs: ['review', 'accepted', 'refused', 'timed_out'],
    at_pause: ['review'],
  }),
  effect: 'steps',
  traits: { only_waits: true },
});
