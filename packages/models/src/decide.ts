import { isJsonObject, type JsonObject, readText } from '@millrace/engine';
import { FailedAttempt, objectIn } from './answer/refusal.ts';
import { retrying } from './answer/retry.ts';
import type { AskedService, ModelCaller } from './model-service.ts';
import { noted, usageIn } from './note-call.ts';
import { guardedFetch } from './provider/guarded-fetch.ts';

export interface DecisionRequest {
  /** `{model, state, questions}` and further fields of the decision model. */
  readonly body: JsonObject;
  readonly timeout_ms: number;
}

/**
 * Asks a decision model: `POST {base_url}/v1/systemone`, answered by `{model, answers, usage}`. Repeats and words failures
 * like `complete`.
 */
export function decide(
  caller: ModelCaller,
  service: AskedService,
  request: DecisionRequest,
): Promise<JsonObject> {
  const { model } = request.body;
  return noted(
    caller,
    {
      request_type: 'decision',
      provider: service.provider,
      model: readText(model),
      request: request.body,
    },
    () => decideUnnoted(caller, service, request),
    (response) => ({ response, usage: usageIn(response) }),
  );
}

async function decideUnnoted(
  caller: ModelCaller,
  service: AskedService,
  { body, timeout_ms }: DecisionRequest,
): Promise<JsonObject> {
  const fetch = guardedFetch(caller, service, { timeout_ms });
  const address = `${service.service.base_url}/v1/systemone`;
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  return retrying(caller, service, async () => {
    const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
    return readAnswers(service.title, await response.text());
  });
}

function readAnswers(title: string, text: string): JsonObject {
  const answer = objectIn(text);
  if (answer && isJsonObject(answer['answers'])) return answer;
  throw new FailedAttempt({
    kind: 'upstream',
    message: `${title} returned an answer that cannot be read; check the address`,
    final: true,
  });
}
