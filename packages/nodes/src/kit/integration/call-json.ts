import type { Effect, Json } from '@millrace/engine';
import { isLasting, NodeFailure } from '@millrace/engine';
import type { CredentialConfig, CredentialType, Service } from '@millrace/engine/credential';
import { MEGABYTE } from '@millrace/engine/units';
import type { Egress, EgressResponse } from '../../services.ts';
import { readBytes } from '../files/read-bytes.ts';
import { readBody } from '../network/response-body.ts';
import { wellFormed } from '../text/well-formed.ts';
import { maySendAgain, pauseAfter } from './rate-limit.ts';
import { createRefusal } from './refusal.ts';

/** Everything that a call needs of the run, the connection test or the list of choices that makes it. */
export interface Caller {
  readonly http: Egress;
  /** Epoch milliseconds. */
  now(): number;
  sleepUntil(epoch_ms: number, signal: AbortSignal): Promise<void>;
  readonly signal: AbortSignal;
  /** Longest time that a call waits for a limit to free or a service to recover, all pauses together. */
  readonly max_wait_ms: number;
  /** The same for every repetition of the same work. */
  readonly idempotency_key: string;
}

/** A service and who it is asked as. */
export interface Connection {
  /** How errors name the service. */
  readonly title: string;
  readonly service: Service;
  /** The problem that an answer with a good status reports. */
  readonly problem?: ((answer: unknown) => string | undefined) | undefined;
  /** Header in which the service takes a key that makes repeated calls count once, if it has one. */
  readonly idempotency_header?: string;
  /** Milliseconds to wait, for a service that says in a way of its own that there were too many calls. */
  readonly pause?: ((answer: JsonAnswer, now_ms: number) => number | undefined) | undefined;
  /** Parameter with what the service is asked as; `credentialId` unless it says otherwise. */
  readonly sign_in?: string;
  /** The service with a new token, after it has refused the one that it was asked with; for sign-ins that can be renewed. */
  readonly renew?: (() => Promise<Service>) | undefined;
}

export interface JsonRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Behind the base address; build it with `path`, which escapes what it is given. */
  readonly path: string;
  /** Undefined and empty values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as `multipart/form-data` (RFC 7578) in place of a body. */
  readonly form?: FormData;
  /** Decides what is repeated after a failure: `read` and `idempotent`, never `unsafe`. */
  readonly effect: Effect;
  /** Statuses beside 2xx that are answers and no failures. */
  readonly accepts?: readonly number[];
  /** Makes the bytes of an answer its body, of any type; a refusal is read as usual. */
  readonly as?: 'base64';
  /** From the call until the last byte of the answer; a minute unless it says otherwise. */
  readonly timeout_ms?: number;
}

export interface JsonAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, else the text; base64 of the bytes where the request asked for it. */
  readonly body: Json;
}

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 50 * MEGABYTE;
const MAX_ATTEMPTS = 4;
const FIRST_BACKOFF_MS = 500;

/** The connection that a credential describes. Fails with kind `credential` when its configuration allows no calls. */
export function buildConnection(title: string, type: CredentialType, config: CredentialConfig): Connection {
  const service = type.connect?.(config);
  if (service) return { title, service, problem: type.problem };
  throw new NodeFailure({
    kind: 'credential',
    message: `The credential of type ${type.title} is incomplete for ${title}; complete it on the credentials page`,
    field: 'credentialId',
    final: true,
  });
}

/**
 * One call of an HTTP API that speaks JSON. Waits when the service says that there were too many calls, repeats what
 * may be repeated, and turns a refusal into a `NodeFailure` in plain words. Redirects are not followed: a secret goes
 * where its owner said.
 */
export async function callJson(
  caller: Caller,
  connection: Connection,
  request: JsonRequest,
): Promise<JsonAnswer> {
  const mayRepeat = request.effect === 'read' || request.effect === 'idempotent';
  let waited_ms = 0;
  let { renew, ...current } = connection;
  for (let attempt = 1; ; attempt++) {
    const outcome = await send(caller, current, request).catch((error: unknown) => {
      const isLast = attempt === MAX_ATTEMPTS || caller.max_wait_ms === 0;
      if (!mayRepeat || isLast || !isTransient(error)) throw error;
      return undefined;
    });
    if (outcome && isAccepted(outcome.status, request)) return accepted(connection, outcome);
    if (outcome?.status === 401 && renew) {
      // A call that was refused for its token was not carried out, so even an unsafe one is sent again, once.
      current = { ...current, service: await renew() };
      renew = undefined;
      continue;
    }
    const situation = { attempt, mayRepeat, now_ms: caller.now(), pause: connection.pause };
    const pause_ms = pauseFor(outcome, situation);
    const isOver =
      pause_ms === undefined || attempt === MAX_ATTEMPTS || waited_ms + pause_ms > caller.max_wait_ms;
    if (outcome && isOver)
      throw createRefusal(connection.title, outcome, { pause_ms, sign_in: connection.sign_in });
    const wait_ms = pause_ms ?? FIRST_BACKOFF_MS;
    waited_ms += wait_ms;
    await caller.sleepUntil(caller.now() + wait_ms, caller.signal);
  }
}

interface Situation {
  readonly attempt: number;
  readonly mayRepeat: boolean;
  readonly now_ms: number;
  readonly pause: Connection['pause'];
}

/** How long to wait before the call is sent again; undefined when it must not be. A lost connection has no answer. */
function pauseFor(
  answer: JsonAnswer | undefined,
  { attempt, mayRepeat, now_ms, pause }: Situation,
): number | undefined {
  const backoff_ms = FIRST_BACKOFF_MS * 2 ** (attempt - 1);
  if (!answer) return backoff_ms;
  const asked_ms = pauseAfter(answer, now_ms) ?? pause?.(answer, now_ms);
  if (asked_ms !== undefined && maySendAgain(answer.status, mayRepeat)) return asked_ms;
  return mayRepeat && [502, 503, 504].includes(answer.status) ? backoff_ms : undefined;
}

function isTransient(error: unknown): boolean {
  return error instanceof NodeFailure && error.failure.kind === 'upstream' && !isLasting(error);
}

function isAccepted(status: number, { accepts = [] }: JsonRequest): boolean {
  return (status >= 200 && status < 300) || accepts.includes(status);
}

function accepted({ title, problem }: Connection, answer: JsonAnswer): JsonAnswer {
  const message = answer.status < 300 ? problem?.(answer.body) : undefined;
  if (message === undefined) return answer;
  throw new NodeFailure({ kind: 'upstream', message: `${title}: ${message}` });
}

async function send(
  caller: Caller,
  connection: Connection,
  { method = 'GET', path, query, headers, body, form, effect, as, timeout_ms = TIMEOUT_MS }: JsonRequest,
): Promise<JsonAnswer> {
  const { service, idempotency_header } = connection;
  const content = form ? await multipart(form) : body === undefined ? undefined : json(body);
  const all: Record<string, string> = {
    accept: 'application/json',
    ...(content === undefined ? {} : { 'content-type': content.type }),
    ...(idempotency_header && effect === 'idempotent'
      ? { [idempotency_header]: caller.idempotency_key }
      : {}),
    ...service.headers,
    ...headers,
  };
  const response = await caller.http.request({
    method,
    url: service.base_url + withQuery(path, query),
    headers: Object.entries(all),
    ...(content === undefined ? {} : { body: content.body }),
    timeout_ms,
    max_response_bytes: MAX_ANSWER_BYTES,
    follow_redirects: false,
    signal: caller.signal,
  });
  const { status } = response;
  const isWhole = as === 'base64' && status >= 200 && status < 300;
  const answered = isWhole ? await base64Of(response) : (await readBody(response)).body;
  return { status, headers: response.headers, body: answered };
}

interface Content {
  readonly type: string;
  readonly body: string | Uint8Array;
}

const json = (body: unknown): Content => ({ type: 'application/json', body: JSON.stringify(body) });

/** Whole, as the egress client takes it; the platform chooses the boundary and writes it into the type. */
async function multipart(form: FormData): Promise<Content> {
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  return { type: encoded.headers.get('content-type') ?? 'multipart/form-data', body };
}

const base64Of = async ({ body }: EgressResponse): Promise<string> =>
  (await readBytes(body)).toString('base64');

function withQuery(path: string, query: JsonRequest['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return path;
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return `${path}${path.includes('?') ? '&' : '?'}${text.toString()}`;
}

/**
 * A path with its values escaped: `path\`/docs/${id}/tables\``. A value stays one segment: it cannot be empty and cannot
 * climb with `..`.
 */
export function path(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.reduce((text, part, index) => text + segment(values[index - 1]) + part);
}

function segment(value: string | number | undefined): string {
  const text = String(value ?? '').trim();
  if (text !== '' && text !== '.' && text !== '..') return encodeURIComponent(wellFormed(text));
  throw new NodeFailure({
    kind: 'params',
    message: `"${text}" cannot be part of an address; enter the id of an existing object`,
    final: true,
  });
}
