import {
  answerWords,
  type Failure,
  isJsonObject,
  isLasting,
  type JsonObject,
  NodeFailure,
} from '@millrace/engine';

/** Why an attempt failed, and whether another one may succeed. */
export class FailedAttempt extends Error {
  readonly failure: Failure;
  /** Undefined: another attempt would fail the same way. `null`: the provider did not say how long to wait. */
  readonly pause_ms: number | null | undefined;

  constructor(failure: Failure, pause_ms?: number | null, cause?: unknown) {
    super(failure.message, { cause });
    this.failure = failure;
    this.pause_ms = pause_ms;
  }
}

export interface Refused {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const MAX_WORDS = 500;
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504, 529]);

/** A refused call in plain words, with what the provider said about it. */
export function refusedAttempt(title: string, refused: Refused, now_ms: number): FailedAttempt {
  const { status, headers } = refused;
  const body = parsed(refused.text);
  const said = findWords(body);
  const isSpent = isQuotaSpent(body);
  const pause_ms = pauseAsked(headers, body, now_ms);
  const message = `${title} ${meaning(status, { isSpent, pause_ms })}${said === undefined ? '' : `: ${said}`}`;
  const details = { status };
  if (status === 401) {
    return new FailedAttempt({
      kind: 'credential',
      message,
      field: 'credentialId',
      final: true,
      details,
    });
  }
  const canRecover = TRANSIENT.has(status) && !isSpent;
  const failure: Failure = { kind: 'upstream', message, details, ...(canRecover ? {} : { final: true }) };
  return new FailedAttempt(failure, canRecover ? pause_ms : undefined);
}

function meaning(
  status: number,
  { isSpent, pause_ms }: { isSpent: boolean; pause_ms: number | null },
): string {
  if (isSpent) return `has no quota or credit left for this key (status ${status})`;
  switch (status) {
    case 401:
      return 'refused the credential; test it on the credentials page';
    case 402:
      return 'requires payment (status 402)';
    case 403:
      return 'does not allow this with the chosen credential (status 403)';
    case 404:
      return 'did not find the model or the address (status 404)';
    case 413:
      return 'rejected the request because it is too large (status 413)';
    case 429:
      return `is rate limiting this key${pause_ms ? `; try again in ${Math.ceil(pause_ms / 1000)} s` : ''}`;
    case 529:
      return 'is overloaded (status 529)';
    default:
      if (status >= 500) return `reported a server error (status ${status})`;
      return status >= 400 ? `rejected the request (status ${status})` : `answered with status ${status}`;
  }
}

/** A 429 that no pause repairs: OpenAI's `insufficient_quota` (platform.openai.com/docs/guides/error-codes). */
function isQuotaSpent(body: unknown): boolean {
  const error = isJsonObject(body) ? body['error'] : undefined;
  return (
    isJsonObject(error) && (error['code'] === 'insufficient_quota' || error['type'] === 'insufficient_quota')
  );
}

/**
 * How long the provider asks to wait: `retry-after-ms` (OpenAI), `Retry-After` in seconds or as a date (RFC 9110 section
 * 10.2.3), or `retryDelay` of Google's `RetryInfo` (cloud.google.com/apis/design/errors). Null when it does not say.
 */
function pauseAsked(headers: Readonly<Record<string, string>>, body: unknown, now_ms: number): number | null {
  const exact = Number(headers['retry-after-ms'] || Number.NaN);
  if (exact >= 0) return exact;
  const text = headers['retry-after'];
  if (text !== undefined && text.trim() !== '') {
    const seconds = Number(text);
    const pause_ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - now_ms;
    if (Number.isFinite(pause_ms)) return Math.max(pause_ms, 0);
  }
  return retryDelay(body);
}

function retryDelay(body: unknown): number | null {
  const inside = Array.isArray(body) ? body[0] : body;
  const error = isJsonObject(inside) ? inside['error'] : undefined;
  const details = isJsonObject(error) ? error['details'] : undefined;
  if (!Array.isArray(details)) return null;
  for (const detail of details) {
    const delay = isJsonObject(detail) ? detail['retryDelay'] : undefined;
    const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  return null;
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The JSON object of an answer; undefined for everything else. */
export function objectIn(text: string): JsonObject | undefined {
  const value = parsed(text);
  return isJsonObject(value) ? value : undefined;
}

/** The words of an error, wherever a provider puts them. */
export function findWords(body: unknown, depth = 0): string | undefined {
  if (typeof body === 'string') return answerWords(body, MAX_WORDS);
  if (depth > 3) return undefined;
  if (Array.isArray(body)) return findWords(body[0], depth + 1);
  if (!isJsonObject(body)) return undefined;
  for (const key of ['message', 'detail', 'msg', 'error', 'errors', 'response', 'type']) {
    const words = findWords(body[key], depth + 1);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** A failure of the transport; a lost connection may be tried again, a refused address or a passed time limit not. */
export function toFailedAttempt(error: NodeFailure): FailedAttempt {
  const canRecover = error.failure.kind === 'upstream' && !isLasting(error);
  return new FailedAttempt(error.failure, canRecover ? null : undefined, error);
}

/** The failure that a run sees, without any secret that the provider repeated. */
export function failureWithout(secrets: readonly string[], { failure, cause }: FailedAttempt): NodeFailure {
  const message = secrets
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '**'), failure.message);
  return new NodeFailure({ ...failure, message }, cause === undefined ? undefined : { cause });
}
