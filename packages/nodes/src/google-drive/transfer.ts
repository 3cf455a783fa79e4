import type { Json } from '@millrace/engine';
import { readBytes } from '../kit/files/read-bytes.ts';
import type { Google } from '../kit/integration/google.ts';
import { pauseAfter } from '../kit/integration/rate-limit.ts';
import { createRefusal } from '../kit/integration/refusal.ts';
import { decodeBody } from '../kit/network/response-body.ts';
import type { EgressRequest, EgressResponse } from '../services.ts';

const TIMEOUT_MS = 15 * 60_000;

export interface BytesRequest {
  readonly method: 'GET' | 'PATCH';
  /** Behind the base address. */
  readonly path: string;
  readonly body?: Pick<Required<EgressRequest>, 'body'>['body'];
  readonly content_type?: string;
  readonly max_bytes: number;
}

/** A call whose request or answer is not JSON. A refused token is renewed, and one limit waited for; the answer is not read yet. */
export async function transfer(
  { caller, connection }: Google,
  request: BytesRequest,
): Promise<EgressResponse> {
  let { service } = connection;
  let renew = connection.renew;
  for (let attempt = 1; ; attempt++) {
    const headers = {
      ...service.headers,
      ...(request.content_type === undefined ? {} : { 'content-type': request.content_type }),
    };
    const answer = await caller.http.request({
      method: request.method,
      url: service.base_url + request.path,
      headers: Object.entries(headers),
      ...(request.body === undefined ? {} : { body: request.body }),
      timeout_ms: TIMEOUT_MS,
      max_response_bytes: request.max_bytes,
      follow_redirects: false,
      signal: caller.signal,
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    const refused = { status: answer.status, headers: answer.headers, body: await readBody(answer) };
    if (answer.status === 401 && renew) {
      service = await renew();
      renew = undefined;
      continue;
    }
    const now_ms = caller.now();
    const pause_ms = connection.pause?.(refused, now_ms) ?? pauseAfter(refused, now_ms);
    if (pause_ms === undefined || attempt > 3 || pause_ms > caller.max_wait_ms) {
      throw createRefusal(connection.title, refused, { pause_ms });
    }
    await caller.sleepUntil(now_ms + pause_ms, caller.signal);
  }
}

/** An answer as JSON, else as text; null when it is neither. */
export async function readBody({ body, headers }: EgressResponse): Promise<Json> {
  return decodeBody(await readBytes(body), headers['content-type'] ?? '') ?? null;
}

/** A body of metadata and content in one request, so that both change or neither (RFC 2387). */
export function multipartBody(metadata: object, content: Buffer, boundary: string): Buffer {
  const head =
    `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(metadata)}\r\n` +
    `--${boundary}\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}
