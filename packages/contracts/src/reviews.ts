import { z } from 'zod';
import { timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { storedText } from './text.ts';

const tag = 'Reviews';
const path = '/api/hitl/{token}';
const params = z.object({ token: storedText(200) });

/** A draft that a reviewer writes anew, in characters. */
export const MAX_EDITED_TEXT = 1024 * 1024;

export const review = z
  .object({
    request_id: z.string(),
    workflow_name: z.string(),
    /** Label of the node that asks. */
    agent_label: z.string(),
    summary: z.string(),
    /** Markdown. */
    original_draft_text: z.string(),
    status: z.literal('pending'),
    /** The fields of a decision are null: a review that was decided answers 410. */
    decision: z.null(),
    edited_text: z.null(),
    refusal_reason: z.null(),
    resolved_output: z.null(),
    expires_at: z.string(),
    resolved_at: z.null(),
  })
  .meta({ id: 'Review' });
export type Review = z.infer<typeof review>;

const decision = z.object({
  action: z.enum(['accept', 'edit', 'refuse']),
  /** The text that takes the place of the draft; needed for `edit`. */
  edited_text: storedText(MAX_EDITED_TEXT).nullish(),
  refusal_reason: storedText(10_000).nullish(),
});
const hasNeededText = ({ action, edited_text }: z.infer<typeof decision>): boolean =>
  action !== 'edit' || (edited_text ?? '').trim() !== '';
const TEXT_NEEDED = { path: ['edited_text'], message: 'must not be empty when the draft is edited' };

export const reviewDecision = decision
  .extend({
    /** As the reviewer calls themselves; not checked. */
    reviewer_name: storedText(100).nullish(),
  })
  .refine(hasNeededText, TEXT_NEEDED)
  .meta({ id: 'ReviewDecision' });
export type ReviewDecision = z.infer<typeof reviewDecision>;

/** Of a signed-in person, whose name is known. */
export const ownReviewDecision = decision
  .refine(hasNeededText, TEXT_NEEDED)
  .meta({ id: 'OwnReviewDecision' });
export type OwnReviewDecision = z.infer<typeof ownReviewDecision>;

export const readReview = endpoint({
  id: 'readReview',
  method: 'GET',
  path,
  tag,
  summary: 'The draft that a paused run asks to review; the token is the only authentication',
  auth: 'own',
  params,
  response: review,
  errors: ['not_found', 'gone'],
});

const answerToDecision = {
  response: z.object({ request_id: z.string(), status: z.literal('resolved') }),
  status: 202,
  errors: ['not_found', 'conflict', 'gone', 'invalid_input', 'too_large', 'unavailable'],
  // A text of four bytes per character, or of one that JSON escapes.
  body_limit: 6 * MAX_EDITED_TEXT + 65_536,
} as const;

export const decideReview = endpoint({
  ...answerToDecision,
  id: 'decideReview',
  method: 'POST',
  path: `${path}/decision`,
  tag,
  summary: 'Accept, edit or refuse the draft; the first decision counts, and the run continues with it',
  auth: 'own',
  params,
  body: reviewDecision,
});

/** Names a review; it opens nothing without the rights of the person who asks. */
const reviewId = storedText(200);
const reviewParams = z.object({ review_id: reviewId });

export const openReview = z
  .object({
    id: reviewId,
    workflow_id: uuid,
    workflow_name: z.string(),
    execution_id: uuid,
    summary: z.string().describe('In its first 1,000 characters.'),
    asked_at: timestamp,
    expires_at: timestamp.nullable(),
  })
  .meta({ id: 'OpenReview' });
export type OpenReview = z.infer<typeof openReview>;

export const openReviewList = z
  .object({
    /** Of all pages, exact up to 10,000; with a text among the newest 20,000 of each workflow, which are looked through. */
    count: z.int(),
    count_is_capped: z.boolean(),
    items: z.array(openReview),
    /** Give it as `before` for the next page; null on the last one. */
    next_before: reviewId.nullable(),
  })
  .meta({ id: 'OpenReviewList' });
export type OpenReviewList = z.infer<typeof openReviewList>;

const openReviewFilters = z.object({
  workflow_id: uuid.optional(),
  search: storedText(200)
    .trim()
    .min(1)
    .optional()
    .describe('Text in the summary or in the name of the workflow, in any case.'),
  before: reviewId.optional().describe('Id of the last review of the page before.'),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});
export type OpenReviewFilters = z.output<typeof openReviewFilters>;

export const listOpenReviews = endpoint({
  id: 'listOpenReviews',
  method: 'GET',
  path: '/api/reviews',
  tag,
  summary:
    'Reviews that wait for a decision, of every workflow that you can see; those of the newest run come first',
  auth: 'session',
  query: openReviewFilters,
  response: openReviewList,
  errors: ['not_found'],
});

export const ownReview = review
  .extend({ id: reviewId, workflow_id: uuid, execution_id: uuid })
  .meta({ id: 'OwnReview' });
export type OwnReview = z.infer<typeof ownReview>;

export const readOpenReview = endpoint({
  id: 'readOpenReview',
  method: 'GET',
  path: '/api/reviews/{review_id}',
  tag,
  summary: 'The draft of an open review, for people who can see its workflow',
  auth: 'session',
  params: reviewParams,
  response: ownReview,
  errors: ['not_found', 'gone'],
});

export const decideOpenReview = endpoint({
  ...answerToDecision,
  id: 'decideOpenReview',
  method: 'POST',
  path: '/api/reviews/{review_id}/decision',
  tag,
  summary:
    'Accept, edit or refuse the draft as a person who can see its workflow; the first decision counts, and the run has your name as that of the reviewer',
  auth: 'session',
  params: reviewParams,
  body: ownReviewDecision,
});

export const reviewEndpoints = [
  readReview,
  decideReview,
  listOpenReviews,
  readOpenReview,
  decideOpenReview,
] as const;
