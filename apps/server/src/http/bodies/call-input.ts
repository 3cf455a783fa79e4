import { isUtf8 } from 'node:buffer';
import { executeWorkflow, streamWorkflow, TRIGGER_SOURCE_MAX } from '@millrace/contracts';
import { isBlockedKey, isJsonObject, type Json, type JsonObject, readTruth } from '@millrace/engine';
import { requireSafeJson } from '../../core/documents/json-limits.ts';
import type { HttpInput } from '../../execution/model/http-input.ts';

/** Values that steer the call itself, wherever they may stand (§4.1 rules 1, 2 and 4). */
export interface CallOptions {
  readonly test_run: boolean;
  readonly trigger_source: string;
}

export interface ShapedInput extends CallOptions {
  readonly input: HttpInput;
}

export function isTrue(value: unknown): boolean {
  if (value === true || value === 1) return true;
  return typeof value === 'string' && readTruth(value) === true;
}

/** A label for history: one line, cut at `TRIGGER_SOURCE_MAX` characters; undefined when nothing is left. */
export function cleanSource(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replace(/[\p{Cc}\p{Cs}]/gu, '').trim();
  return text === '' ? undefined : Array.from(text).slice(0, TRIGGER_SOURCE_MAX).join('');
}

/** A header's bytes are Latin-1 to Node, and UTF-8 to those who write more than ASCII into one. */
function headerText(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** Never handed to nodes: they prove who calls, or carry the session of the person who calls. */
const SECRET_HEADERS = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'proxy-authorization',
  'x-execution-token',
  'x-mcp-key',
  'x-api-key',
  'x-auth-token',
  'x-csrf-token',
  'x-session-token',
  'idempotency-key',
]);

/** @param ownHeader name of the workflow's own authentication header, in lower case */
export function sanitizedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  ownHeader: string | undefined,
): JsonObject {
  const kept: JsonObject = {};
  for (const name in headers) {
    if (SECRET_HEADERS.has(name) || name === ownHeader || isBlockedKey(name)) continue;
    const value = headers[name];
    if (value !== undefined) kept[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}

/** Query parameters of the endpoint itself, which are not part of the run's input. */
const CALL_PARAMETERS = Object.keys(executeWorkflow.query.shape);
const STREAM_PARAMETERS = Object.keys(streamWorkflow.query.shape);

function queryInput(query: Readonly<Record<string, unknown>>, parameters: readonly string[]): JsonObject {
  requireSafeJson(query, 'query');
  const input = { ...(query as JsonObject) };
  for (const name of parameters) delete input[name];
  return input;
}

export interface RawCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Json;
  readonly auth_header: string | undefined;
  /** The events of the run are streamed. */
  readonly is_stream?: boolean;
}

const DEFAULT_SOURCE = 'API';

/** §4.1: `{inputs: object, test_run}`. Keys beside them do not matter; with any other `inputs` the body is raw JSON. */
function isWrapped(body: Json): body is JsonObject & { inputs: JsonObject } {
  return isJsonObject(body) && Object.hasOwn(body, 'inputs') && isJsonObject(body['inputs']);
}

/** §4.1: methods that carry no body; inputs are in the query. */
export const isBodyless = (method: string): boolean => method === 'GET' || method === 'DELETE';

/** Brings raw and wrapped bodies, and queries, into the one shape that runs see. */
export function shapeInput(call: RawCall): ShapedInput {
  const query = queryInput(call.query, call.is_stream ? STREAM_PARAMETERS : CALL_PARAMETERS);
  const headers = sanitizedHeaders(call.headers, call.auth_header);
  const source =
    cleanSource(call.query['trigger_source']) ?? cleanSource(headerText(call.headers['x-trigger-source']));
  if (isBodyless(call.method)) {
    return {
      input: { headers, query, body: { ...query } },
      test_run: isTrue(call.query['test_run']),
      trigger_source: source ?? DEFAULT_SOURCE,
    };
  }
  const { body } = call;
  const named = isJsonObject(body) ? cleanSource(body['trigger_source']) : undefined;
  const trigger_source = named ?? source ?? DEFAULT_SOURCE;
  if (!isWrapped(body)) {
    return { input: { headers, query, body }, test_run: isTrue(call.query['test_run']), trigger_source };
  }
  return {
    input: { headers, query, body: body['inputs'] },
    test_run: isTrue(body['test_run']) || isTrue(call.query['test_run']),
    trigger_source,
  };
}
