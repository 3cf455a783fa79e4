import { createHash } from 'node:crypto';
import { type Decision, isJsonObject, type JsonObject, NodeFailure } from '@millrace/engine';
import { implement } from '../implement.ts';
import { humanReview } from './definition.ts';

const KEY = 'review';
const HOUR_MS = 3_600_000;

interface Request {
  readonly requestId: string;
  readonly summary: string;
  readonly draft: string;
}

/** An id that every repetition of the node finds again; it says which request is meant and opens nothing. */
function requestIdOf(idempotency_key: string): string {
  const hex = createHash('sha256').update(`review:${idempotency_key}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) % 4) + 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const MARKDOWN_SIGNS = /[\\`*_{}[\]()#+\-.!|<>~]/g;

/** What the node shows while it waits, and hands on at its side `review`. */
function payloadOf(
  { requestId, summary, draft }: Request,
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

function editedTextOf(data: JsonObject): string {
  const text = textIn(data, 'edited_text');
  if (text !== undefined) return text;
  throw new NodeFailure({
    kind: 'internal',
    message: 'The edited text of the review can no longer be read',
    final: true,
  });
}

/** What the decision makes of the draft. */
function outputOf(
  { requestId, summary, draft }: Request,
  { decision, data, decided_at_ms }: Decision,
): JsonObject {
  const brought = isJsonObject(data) ? data : {};
  const editedText = decision === 'edited' ? editedTextOf(brought) : undefined;
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

export const runHumanReview = implement(humanReview, async (call) => {
  const { params, idempotency_key, started_at_ms } = call;
  // The text shown to the reviewer is what is accepted, even if the expressions would yield something else after days of waiting.
  const { summary, draft } = await call.step('request', 'pure', () => ({
    summary: params.summary,
    draft: params.draft,
  }));
  const request = { requestId: requestIdOf(idempotency_key), summary, draft };
  const due_at = started_at_ms + Math.round(params.expiresInHours * HOUR_MS);
  const link = { url: call.addressOf(KEY, 'review'), expires_at: new Date(due_at).toISOString() };
  const decided = await call.wait(KEY, {
    kind: 'review',
    due_at,
    has_address: true,
    decisions: ['accepted', 'edited', 'refused'],
    payload: payloadOf(request, link),
  });
  if (decided.decision === 'timed_out') {
    const { requestId } = request;
    return {
      output: { timed_out: true, text: '', summary, originalDraft: draft, requestId },
      ports: ['timed_out'],
    };
  }
  return {
    output: outputOf(request, decided),
    ports: [decided.decision === 'refused' ? 'refused' : 'accepted'],
  };
});
