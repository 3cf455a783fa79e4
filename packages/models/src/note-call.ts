import { isJsonObject, type JsonObject, NodeFailure } from '@millrace/engine';
import type { TokenUsage } from './complete.ts';
import type { ModelCaller } from './model-service.ts';

/** A call of a model that has ended, with all of its repetitions. Values are as they were sent: the receiver hides secrets. */
export interface ModelCallNote {
  readonly request_type: 'chat' | 'decision' | 'embedding';
  /** Absent where the server is known by its address alone. */
  readonly provider?: string | undefined;
  readonly model: string;
  /** The request in the form of this package, independent of the format of the provider. Contains no headers and no keys. */
  readonly request: object;
  /** Null when the call failed. */
  readonly response: JsonObject | null;
  /** Why it failed, in plain words. */
  readonly error: string | null;
  /** Null when the provider counts none. */
  readonly usage: TokenUsage | null;
  /** Epoch milliseconds. */
  readonly started_at_ms: number;
  /** Until the last byte of the last attempt, pauses included. */
  readonly elapsed_ms: number;
}

type About = Pick<ModelCallNote, 'request_type' | 'provider' | 'model' | 'request'>;

/** Does the work, and reports the call to the caller where it keeps a record of calls. */
export async function noted<T>(
  { onCall, now, signal }: Pick<ModelCaller, 'onCall' | 'now' | 'signal'>,
  about: About,
  work: () => Promise<T>,
  answerIn: (result: T) => { readonly response: JsonObject; readonly usage: TokenUsage | null },
): Promise<T> {
  if (!onCall) return work();
  const started_at_ms = now();
  const end = () => ({ started_at_ms, elapsed_ms: Math.max(0, now() - started_at_ms) });
  try {
    const result = await work();
    onCall({ ...about, ...answerIn(result), error: null, ...end() });
    return result;
  } catch (error) {
    onCall({ ...about, response: null, error: wordsOf(error, signal), usage: null, ...end() });
    throw error;
  }
}

function wordsOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof NodeFailure) return error.failure.message;
  return signal.aborted ? 'The call was cancelled' : 'The call failed because of an internal error';
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
  return total_tokens === 0 ? null : { prompt_tokens, completion_tokens, total_tokens };
}
