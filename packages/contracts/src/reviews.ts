import { z } from 'zod';
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

export const reviewDecision = z
  .object({
    action: z.enum(['accept', 'edit', 'refuse']),
    /** What takes the place of the draft; needed for `edit`. */
    edited_text: storedText(MAX_EDITED_TEXT).nullish(),
    refusal_reason: storedText(10_000).nullish(),
    /** As the reviewer calls themselves; not checked. */
    reviewer_name: storedText(100).nullish(),
  })
  .refine(({ action, edited_text }) => action !== 'edit' || (edited_text ?? '').trim() !== '', {
    path: ['edited_text'],
    message: 'must not be empty when the draft is edited',
  })
  .meta({ id: 'ReviewDecision' });
export type ReviewDecision = z.infer<typeof reviewDecision>;

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

export const decideReview = endpoint({
  id: 'decideReview',
  method: 'POST',
  path: `${path}/decision`,
  tag,
  summary: 'Accept, edit or refuse the draft; the first decision counts, and the run continues with it',
  auth: 'own',
  params,
  body: reviewDecision,
  response: z.object({ request_id: z.string(), status: z.literal('resolved') }),
  status: 202,
  errors: ['not_found', 'conflict', 'gone', 'invalid_input', 'too_large', 'unavailable'],
  // A text of four bytes per character, or of one that JSON escapes.
  body_limit: 6 * MAX_EDITED_TEXT + 65_536,
});

export const reviewEndpoints = [readReview, decideReview] as const;
