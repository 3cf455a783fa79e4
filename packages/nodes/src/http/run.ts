import { type Json, NodeFailure, readText } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { createRefusal } from '../kit/integration/refusal.ts';
import { readBody } from '../kit/network/response-body.ts';
import type { EgressResponse } from '../services.ts';
import type { CurlCommand } from './curl/command.ts';
import { type Header, hasHeader } from './curl/headers.ts';
import { isOneExpression, parseCurl } from './curl/parse.ts';
import type { Evaluate } from './curl/render.ts';
import { type CurlRequest, renderRequest } from './curl/request.ts';
import { http } from './definition.ts';

const MAX_TIMEOUT_MS = 300_000;
const MAX_RESPONSE_BYTES = 50 * MEGABYTE;

export const runHttp = implement(http, async (call) => {
  const { node, services, signal } = call;
  const command = readCommand(node.data['curl'], call.evaluate);
  if (command.ignored.length > 0) {
    services.log('warn', `curl options without effect: ${[...new Set(command.ignored)].join(' ')}`);
  }
  const request = withIdempotencyKey(renderRequest(command, call), call);
  const response = await services.http.request({
    ...request,
    timeout_ms: Math.min(request.timeout_ms ?? MAX_TIMEOUT_MS, MAX_TIMEOUT_MS),
    max_response_bytes: MAX_RESPONSE_BYTES,
    signal,
  });
  const output = await buildOutput(request, response);
  if (call.params.failOnErrorStatus && output.status >= 400)
    throw refusedBy(new URL(response.url).host, output);
  return { output };
});

/** The command as written; a field that is one expression may bring a whole command, whose text is taken as it is. */
function readCommand(stored: Json | undefined, evaluate: Evaluate): CurlCommand {
  const written = readText(stored);
  if (!isOneExpression(written)) return parseCurl(written);
  const value = evaluate(written.trim(), 'template');
  // A text that came as data is no template: a `$` in it is a character.
  return typeof value === 'string' && /^\s*curl(\.exe)?\s/i.test(value)
    ? parseCurl(value, { literal: true })
    : parseCurl(written);
}

/** The answer is beside the error, for those who continue with it. */
function refusedBy(host: string, output: Awaited<ReturnType<typeof buildOutput>>): NodeFailure {
  const { failure } = createRefusal(host, output, { sign_in: 'curl' });
  return new NodeFailure({ ...failure, details: output });
}

async function buildOutput(request: CurlRequest, response: EgressResponse) {
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
