import { HOUR_MS } from '@millrace/engine/units';
import { implement } from '../implement.ts';
import { deriveReviewId, REVIEW_DECISIONS, reviewOutput, reviewPayload } from '../kit/runs/review.ts';
import { humanReview } from './definition.ts';

const KEY = 'review';

export const runHumanReview = implement(humanReview, async (call) => {
  const { params, idempotency_key, started_at_ms } = call;
  // The text shown to the reviewer is what is accepted, even if the expressions would yield something else after days of waiting.
  const { summary, draft } = await call.step('request', 'pure', () => ({
    summary: params.summary,
    draft: params.draft,
  }));
  const request = { requestId: deriveReviewId(idempotency_key), summary, draft };
  const due_at = started_at_ms + Math.round(params.expiresInHours * HOUR_MS);
  const link = { url: call.buildWaitAddress(KEY, 'review'), expires_at: new Date(due_at).toISOString() };
  const decided = await call.wait(KEY, {
    kind: 'review',
    due_at,
    has_address: true,
    decisions: REVIEW_DECISIONS,
    payload: reviewPayload(request, link),
  });
  if (decided.decision === 'timed_out') {
    const { requestId } = request;
    return {
      output: { timed_out: true, text: '', summary, originalDraft: draft, requestId },
      ports: ['timed_out'],
    };
  }
  return {
    output: reviewOutput(request, decided),
    ports: [decided.decision === 'refused' ? 'refused' : 'accepted'],
  };
});
