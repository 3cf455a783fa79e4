import { isJsonObject } from '@millrace/engine';
import { FailedAttempt, objectIn } from './answer/refusal.ts';
import { retrying } from './answer/retry.ts';
import type { TokenUsage } from './model-call.ts';
import type { AskedService, ModelCaller } from './model-service.ts';
import { noted, usageIn } from './note-call.ts';
import { guardedFetch } from './provider/guarded-fetch.ts';

export interface EmbeddingRequest {
  readonly model: string;
  /** Length of each vector. */
  readonly dimensions: number;
  readonly texts: readonly string[];
  /** Of one request. */
  readonly timeout_ms: number;
}

/** Fewer than any known server refuses; longer lists are sent in several requests. */
const TEXTS_PER_REQUEST = 96;

/**
 * One vector per text, from a server that speaks OpenAI's embeddings: `POST {base_url}/embeddings`
 * (https://platform.openai.com/docs/api-reference/embeddings). Repeats and words failures like `complete`.
 */
export async function embed(
  caller: ModelCaller,
  service: AskedService,
  { texts, ...request }: EmbeddingRequest,
): Promise<number[][]> {
  const vectors: number[][] = [];
  for (let start = 0; start < texts.length; start += TEXTS_PER_REQUEST) {
    const batch = texts.slice(start, start + TEXTS_PER_REQUEST);
    vectors.push(...(await embedNoted(caller, service, { ...request, texts: batch })));
  }
  return vectors;
}

async function embedNoted(
  caller: ModelCaller,
  service: AskedService,
  request: EmbeddingRequest,
): Promise<number[][]> {
  const { model, dimensions, texts } = request;
  const { vectors } = await noted(
    caller,
    { request_type: 'embedding', provider: service.provider, model, request: { dimensions, texts } },
    () => retrying(caller, service, () => embedBatch(caller, service, request)),
    ({ usage }) => ({ response: { vectors: texts.length, dimensions }, usage }),
  );
  return vectors;
}

interface Embedded {
  readonly vectors: number[][];
  readonly usage: TokenUsage | null;
}

async function embedBatch(
  caller: ModelCaller,
  service: AskedService,
  { model, dimensions, texts, timeout_ms }: EmbeddingRequest,
): Promise<Embedded> {
  const fetch = guardedFetch(caller, service, { timeout_ms });
  const body = {
    model,
    input: texts,
    encoding_format: 'float',
    // Servers refuse the parameter for models that cannot shorten their vectors.
    ...(model.includes('text-embedding-3') ? { dimensions } : {}),
  };
  const response = await fetch(`${service.service.base_url}/embeddings`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return readVectors(service.title, await response.text(), { count: texts.length, dimensions });
}

function readVectors(
  title: string,
  text: string,
  { count, dimensions }: { count: number; dimensions: number },
): Embedded {
  const unreadable = (words: string) =>
    new FailedAttempt({ kind: 'upstream', message: `${title} ${words}`, final: true });
  const answer = objectIn(text);
  const data = answer?.['data'];
  if (!answer || !Array.isArray(data) || data.length !== count)
    throw unreadable('did not return one vector for each text; check the address and the model');
  const vectors: number[][] = [];
  for (const [position, entry] of data.entries()) {
    const { index = position, embedding } = isJsonObject(entry) ? entry : {};
    if (typeof index !== 'number' || !isVector(embedding))
      throw unreadable('returned a vector that cannot be read');
    if (embedding.length !== dimensions) {
      throw unreadable(
        `returned vectors of ${embedding.length} numbers instead of ${dimensions}; correct the dimensions in the credential`,
      );
    }
    vectors[index] = embedding;
  }
  return { vectors, usage: usageIn(answer) };
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((number) => typeof number === 'number' && Number.isFinite(number));
