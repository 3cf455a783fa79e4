import { isJsonObject, type JsonObject } from '@millrace/engine';
import type { NodeCall } from '../../implement.ts';
import { deriveReviewId, REVIEW_DECISIONS, reviewPayload } from '../runs/review.ts';

/** A question that a person has answered. */
export interface Reply {
  readonly thread_id: string | null;
  /** The model that the agent had used until then, if it reported one. */
  readonly model?: string | undefined;
  readonly question: string;
  readonly answer: string;
}

interface Question {
  readonly key: string;
  readonly question: string;
  /** Who asks. */
  readonly title: string;
  /** Epoch milliseconds. */
  readonly due_at: number;
  /** The output that the node shows while it waits, beside the question. */
  readonly output: JsonObject;
}

/** The answer of those who accept the review as it is. */
const GO_ON = 'Decide yourself, and continue.';

/** Waits for the answer of a person; undefined when there is none: refused, or too late. */
export async function askPerson(
  call: NodeCall,
  { key, question, title, due_at, output }: Question,
): Promise<string | undefined> {
  const request = {
    requestId: deriveReviewId(`${call.idempotency_key}:${key}`),
    summary: `${title} asks:\n\n${question}`,
    draft: GO_ON,
  };
  const link = { url: call.buildWaitAddress(key, 'review'), expires_at: new Date(due_at).toISOString() };
  const { decision, data } = await call.wait(key, {
    kind: 'review',
    due_at,
    has_address: true,
    decisions: REVIEW_DECISIONS,
    payload: { ...output, question, ...reviewPayload(request, link) },
  });
  if (decision === 'accepted') return GO_ON;
  if (decision !== 'edited' || !isJsonObject(data)) return undefined;
  const text = data['edited_text'];
  return typeof text === 'string' ? text : undefined;
}
