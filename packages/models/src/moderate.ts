import { isJsonObject, type JsonObject } from '@millrace/engine';
import { FailedAttempt, objectIn } from './answer/refusal.ts';
import { retrying } from './answer/retry.ts';
import type { AskedService, ModelCaller } from './model-service.ts';
import { noted } from './note-call.ts';
import { guardedFetch } from './provider/guarded-fetch.ts';

export interface ModerationRequest {
  readonly text: string;
  readonly timeout_ms: number;
}

/** The verdict of a moderation on one of its categories, such as `self-harm/intent`. */
export interface Moderated {
  readonly category: string;
  /** Over the threshold of the provider. */
  readonly is_flagged: boolean;
  /** How sure the provider is, 0 to 1. */
  readonly score: number;
}

/** It knows more categories than the models before it (platform.openai.com/docs/guides/moderation). */
const MODEL = 'omni-moderation-latest';

/**
 * The verdict of OpenAI's moderation on a text: `POST {base_url}/moderations`
 * (https://platform.openai.com/docs/api-reference/moderations). Repeats and words failures like `complete`; an answer
 * that cannot be read is a failure, never an all-clear.
 */
export function moderate(
  caller: ModelCaller,
  service: AskedService,
  request: ModerationRequest,
): Promise<readonly Moderated[]> {
  return noted(
    caller,
    { request_type: 'moderation', provider: service.provider, model: MODEL, request: { text: request.text } },
    () => retrying(caller, service, () => moderateOnce(caller, service, request)),
    (found) => ({ response: { categories: found.map((one) => ({ ...one })) }, usage: null }),
  );
}

async function moderateOnce(
  caller: ModelCaller,
  service: AskedService,
  { text, timeout_ms }: ModerationRequest,
): Promise<Moderated[]> {
  const fetch = guardedFetch(caller, service, { timeout_ms });
  const response = await fetch(`${service.service.base_url}/moderations`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, input: text }),
  });
  const found = moderatedIn(await response.text());
  if (found) return found;
  const message = `${service.title} returned a moderation that cannot be read`;
  throw new FailedAttempt({ kind: 'upstream', message, final: true });
}

function moderatedIn(text: string): Moderated[] | undefined {
  const { categories, category_scores } = resultIn(text) ?? {};
  if (!isJsonObject(categories) || !isJsonObject(category_scores)) return undefined;
  const found = Object.entries(categories).map(([category, is_flagged]) => ({
    category,
    is_flagged,
    score: category_scores[category],
  }));
  return found.length > 0 && found.every(isModerated) ? found : undefined;
}

const isModerated = (entry: {
  readonly category: string;
  readonly is_flagged: unknown;
  readonly score: unknown;
}): entry is Moderated => typeof entry.is_flagged === 'boolean' && typeof entry.score === 'number';

function resultIn(text: string): JsonObject | undefined {
  const results = objectIn(text)?.['results'];
  const result: unknown = Array.isArray(results) ? results[0] : undefined;
  return isJsonObject(result) ? result : undefined;
}
