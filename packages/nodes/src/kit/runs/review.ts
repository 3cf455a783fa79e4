import { type Decision, isJsonObject, type JsonObject, NodeFailure } from '@millrace/engine';
import { derivedId } from '../values/derived-id.ts';

/** A text that a person is asked to accept, edit or refuse. */
export interface ReviewRequest {
  readonly requestId: string;
  readonly summary: string;
  readonly draft: string;
}

/** Words that decide a review. */
export const REVIEW_DECISIONS = ['accepted', 'edited', 'refused'] as const;

/** An id that every repetition of the node finds again; it says which request is meant and opens nothing. */
export const deriveReviewId = (idempotency_key: string): string => derivedId(`review:${idempotency_key}`);

const MARKDOWN_SIGNS = /[\\`*_{}[\]()#+\-.!|<>~]/g;

/** The payload that the node shows while it waits, and hands on at its side `review`. */
export function reviewPayload(
  { requestId, summary, draft }: ReviewRequest,
  link: { url: string; expires_at: string },
): JsonObject {
  const { url, expires_at } = link;
  const heading = summary.trim() === '' ? 'A review is needed' : summary.trim();
  return {
    decision: null,
    summary,
    draftText: draft,
    reviewUrl: url,
    requestId,
    expiresAt: expires_at,
    shareText: `${heading}\n\n${url}`,
    shareMarkdown: `**${heading.replace(MARKDOWN_SIGNS, '\\$&').replace(/\s+/g, ' ')}**\n\n[Open the review](<${url}>)`,
  };
}

function textIn(data: JsonObject, key: string): string | undefined {
  const value = data[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readEditedText(data: JsonObject): string {
  const text = textIn(data, 'edited_text');
  if (text !== undefined) return text;
  throw new NodeFailure({
    kind: 'internal',
    message: 'The edited text of the review can no longer be read',
    final: true,
  });
}

/** The output that the decision makes of the draft. */
export function reviewOutput(
  { requestId, summary, draft }: ReviewRequest,
  { decision, data, decided_at_ms }: Decision,
): JsonObject {
  const brought = isJsonObject(data) ? data : {};
  const editedText = decision === 'edited' ? readEditedText(brought) : undefined;
  const refusalReason = decision === 'refused' ? textIn(brought, 'refusal_reason') : undefined;
  const reviewerName = textIn(brought, 'reviewer_name');
  const text = decision === 'refused' ? '' : (editedText ?? draft);
  const facts = {
    requestId,
    decision,
    ...(refusalReason === undefined ? {} : { refusalReason }),
    ...(reviewerName === undefined ? {} : { reviewerName }),
  };
  return {
    ...facts,
    text,
    summary,
    originalDraft: draft,
    reviewText: editedText ?? draft,
    approvedMarkdown: text,
    ...(editedText === undefined ? {} : { editedText }),
    hitlHistory: [{ ...facts, decidedAt: new Date(decided_at_ms).toISOString() }],
  };
}
