import { isJsonObject, type JsonObject, NodeFailure } from '@millrace/engine';
import type { ModelCallNote, TokenUsage } from './model-call.ts';
import type { ModelCaller } from './model-service.ts';

type About = Pick<ModelCallNote, 'request_type' | 'provider' | 'model' | 'request'>;

/** Does the work if the caller admits it, and reports the call to the caller where it keeps a record of calls. */
export async function noted<T>(
  { beforeCall, onCall, now, signal }: Pick<ModelCaller, 'beforeCall' | 'onCall' | 'now' | 'signal'>,
  about: About,
  work: () => Promise<T>,
  answerIn: (result: T) => { readonly response: JsonObject; readonly usage: TokenUsage | null },
): Promise<T> {
  if (beforeCall) {
    const { request_type, provider, model } = about;
    await beforeCall({ request_type, provider, model });
  }
  if (!onCall) return work();
  const started_at_ms = now();
  const end = () => ({ started_at_ms, elapsed_ms: Math.max(0, now() - started_at_ms) });
  try {
    const result = await work();
    onCall({ ...about, ...answerIn(result), error: null, ...end() });
    return result;
  } catch (error) {
    onCall({ ...about, response: null, error: describeFailure(error, signal), usage: null, ...end() });
    throw error;
  }
}

function describeFailure(error: unknown, signal: AbortSignal): string {
  if (error instanceof NodeFailure) return error.failure.message;
  return signal.aborted ? 'The call was cancelled' : 'The call failed because of an internal error';
}

function cachedIn({ prompt_tokens_details, input_tokens_details }: JsonObject): number {
  const details = prompt_tokens_details ?? input_tokens_details;
  const count = isJsonObject(details) ? details['cached_tokens'] : undefined;
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** Tokens as servers of OpenAI's format count them, or as newer ones name them; null when they do not say. */
export function usageIn(answer: JsonObject): TokenUsage | null {
  const { usage } = answer;
  if (!isJsonObject(usage)) return null;
  const count = (...names: string[]): number => {
    const found = names.map((name) => usage[name]).find((value) => typeof value === 'number');
    return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : 0;
  };
  const prompt_tokens = count('prompt_tokens', 'input_tokens');
  const completion_tokens = count('completion_tokens', 'output_tokens');
  const total_tokens = count('total_tokens') || prompt_tokens + completion_tokens;
  if (total_tokens === 0) return null;
  const cached_tokens = Math.min(cachedIn(usage), prompt_tokens);
  return { prompt_tokens, completion_tokens, total_tokens, ...(cached_tokens > 0 ? { cached_tokens } : {}) };
}
