import { isJsonObject, NodeFailure } from '@millrace/engine';
import type { CredentialType } from '@millrace/engine/credential';
import type { NodeCall } from '../../implement.ts';
import { refusedParam } from '../refused-param.ts';
import { type Caller, type Connection, callJson, type JsonAnswer, type JsonRequest } from './call-json.ts';
import { requiredText } from './object-input.ts';
import { createCaller, signedInConnection } from './run-caller.ts';

/** Calls one service of Google as the person who signed in, or as the service account. */
export interface Google {
  readonly caller: Caller;
  readonly connection: Connection;
  call(request: JsonRequest): Promise<JsonAnswer>;
}

interface NodeOfGoogle {
  readonly title: string;
  readonly credential: CredentialType;
}

export async function connectGoogle(
  call: NodeCall<{ readonly credentialId: string } & Readonly<Record<string, unknown>>>,
  { title, credential }: NodeOfGoogle,
): Promise<Google> {
  const connection = { ...(await signedInConnection(call, title, credential)), pause: limitPause };
  return googleThrough(createCaller(call), connection);
}

const LIMIT_PAUSE_MS = 2_000;
const LIMITS = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'sharingRateLimitExceeded']);

/**
 * Google also limits calls by a 403 that does not say for how long.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
function limitPause({ status, body }: JsonAnswer): number | undefined {
  const error = status === 403 && isJsonObject(body) ? body['error'] : undefined;
  const errors = isJsonObject(error) && Array.isArray(error['errors']) ? error['errors'] : [];
  const reasons = errors.map((entry) => (isJsonObject(entry) ? entry['reason'] : undefined));
  const isLimit = reasons.some((reason) => typeof reason === 'string' && LIMITS.has(reason));
  return isLimit ? LIMIT_PAUSE_MS : undefined;
}

/** The same outside of a run, for lists of choices. */
export function googleThrough(caller: Caller, connection: Connection): Google {
  return { caller, connection, call: (request) => callJson(caller, connection, request) };
}

/** The same sign-in at another service of Google, for calls that are made with a fresh token. */
export const atService = (connection: Connection, base_url: string): Connection => ({
  ...connection,
  service: { ...connection.service, base_url },
  renew: undefined,
});

const ID = /^[A-Za-z0-9_-]{5,200}$/;
/** Where addresses of Google's pages hold ids: `/d/ID/edit`, `/folders/ID`, `?id=ID`. */
const IN_ADDRESS = [
  /\/d\/([A-Za-z0-9_-]{5,200})/,
  /\/folders\/([A-Za-z0-9_-]{5,200})/,
  /[?&]id=([A-Za-z0-9_-]{5,200})/,
];

/** The id in a parameter that takes an id or the address of a page. */
export function googleId(params: Readonly<Record<string, unknown>>, name: string): string {
  const text = requiredText(params, name);
  if (ID.test(text) || text === 'root') return text;
  for (const pattern of IN_ADDRESS) {
    const id = pattern.exec(text)?.[1];
    if (id !== undefined && /^https?:\/\//.test(text)) return id;
  }
  throw refusedParam(name, 'must be an id or the address of its page at Google');
}

/** The failure for an answer that lacks something that every answer of the service has. */
export const strangeAnswer = (title: string, what: string): NodeFailure =>
  new NodeFailure({ kind: 'upstream', message: `${title} answered without ${what}` });
