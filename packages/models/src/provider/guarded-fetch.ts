import { NodeFailure } from '@millrace/engine';
import type { JsonObject } from '@millrace/engine/json';
import { refusedAttempt, toFailedAttempt } from '../answer/refusal.ts';
import type { AskedService, ModelCaller, TransportResponse } from '../model-service.ts';

const MAX_ANSWER_BYTES = 50 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 64 * 1024;

export interface FetchOptions {
  readonly timeout_ms: number;
  /** Laid over the body of each request. */
  readonly extra_body?: JsonObject | undefined;
}

/**
 * `fetch` as providers' libraries call it, over the guarded client. It sends the headers of the credential in place of those
 * of the library, and throws `FailedAttempt` for every refusal and every lost connection, so that no library rewords or
 * repeats them. Redirects are not followed: a secret goes where its owner said.
 */
export function guardedFetch(
  caller: ModelCaller,
  model: AskedService,
  { timeout_ms, extra_body }: FetchOptions,
): typeof fetch {
  return async (input, init = {}) => {
    const { body, type } = await prepareBody(caller, init.body, extra_body);
    const headers = { ...plainHeaders(init.headers), ...type, ...lowerCase(model.service.headers) };
    const response = await caller.http
      .request({
        method: init.method ?? 'GET',
        url: String(input instanceof Request ? input.url : input),
        headers: Object.entries(headers),
        ...(body === undefined ? {} : { body }),
        timeout_ms,
        max_response_bytes: MAX_ANSWER_BYTES,
        follow_redirects: false,
        signal: caller.signal,
      })
      .catch(rethrow);
    if (response.status < 200 || response.status > 299) {
      const text = await refusalText(response);
      throw refusedAttempt(model.title, { ...response, text }, caller.now());
    }
    return new Response(toStream(response.body), { status: response.status, headers: response.headers });
  };
}

interface SentBody {
  readonly body?: string | Uint8Array;
  readonly type?: { readonly 'content-type': string };
}

/** JSON has no secrets afterwards. A form holds files, whose writer has taken them out. */
async function prepareBody(
  caller: ModelCaller,
  given: RequestInit['body'],
  extra: JsonObject | undefined,
): Promise<SentBody> {
  if (typeof given === 'string') return { body: sentBody(caller, given, extra) };
  if (!(given instanceof FormData)) return {};
  const written = new Response(given);
  const type = written.headers.get('content-type') ?? 'multipart/form-data';
  return { body: new Uint8Array(await written.arrayBuffer()), type: { 'content-type': type } };
}

function sentBody({ mask }: ModelCaller, body: string, extra: JsonObject | undefined): string {
  const written = JSON.parse(body) as JsonObject;
  const sent = mask(extra ? { ...written, ...extra } : written);
  return sent === written ? body : JSON.stringify(sent);
}

function plainHeaders(given: RequestInit['headers']): Record<string, string> {
  const found = Object.fromEntries(new Headers(given));
  delete found['content-length'];
  return found;
}

const lowerCase = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function rethrow(error: unknown): never {
  throw error instanceof NodeFailure ? toFailedAttempt(error) : error;
}

/** The start of a refusal; the rest of a long one is not read. */
async function refusalText({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_REFUSAL_BYTES) break;
    }
  } catch (error) {
    // The status alone says enough when the words are cut off; a cancelled run is no refusal.
    if (error instanceof NodeFailure && error.failure.kind === 'cancelled') rethrow(error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function toStream(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next().catch(rethrow);
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
