import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import type { EgressResponse } from '../services.ts';
import { parseCurl } from '../shared/curl-parse.ts';
import { type Header, hasHeader } from './curl/headers.ts';
import { type CurlRequest, renderRequest } from './curl/request.ts';
import { http } from './definition.ts';
import { readBody } from './response-body.ts';

const MAX_TIMEOUT_MS = 300_000;
const MAX_RESPONSE_BYTES = 50 * 1024 * 1024;

export const runHttp = implement(http, async (call) => {
  const { node, services, signal } = call;
  const written = node.data['curl'];
  const command = parseCurl(typeof written === 'string' ? written : '');
  if (command.ignored.length > 0) {
    services.log('warn', `curl options without effect: ${[...new Set(command.ignored)].join(' ')}`);
  }
  const request = withIdempotencyKey(renderRequest(command, call.evaluate), call);
  const response = await services.http.request({
    ...request,
    timeout_ms: Math.min(request.timeout_ms ?? MAX_TIMEOUT_MS, MAX_TIMEOUT_MS),
    max_response_bytes: MAX_RESPONSE_BYTES,
    signal,
  });
  return { output: await outputOf(request, response) };
});

async function outputOf(request: CurlRequest, response: EgressResponse) {
  const { method, url, headers } = request;
  return {
    status: response.status,
    headers: response.headers,
    ...(await readBody(response)),
    request: { method, url, headers: headerObject(headers) },
  };
}

/** A request that may be sent again after a crash names itself, so that a server which honours the key applies it once. */
function withIdempotencyKey(
  request: CurlRequest,
  { params, idempotency_key }: NodeCall<z.output<typeof http.params>>,
): CurlRequest {
  const isRepeatable = params.onUnknownOutcome === 'repeat' && ['POST', 'PATCH'].includes(request.method);
  if (!isRepeatable || hasHeader(request.headers, 'idempotency-key')) return request;
  return { ...request, headers: [...request.headers, ['Idempotency-Key', idempotency_key]] };
}

function headerObject(headers: readonly Header[]): Record<string, string> {
  const result: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) {
    result[name] = result[name] === undefined ? value : `${result[name]}, ${value}`;
  }
  return result;
}
