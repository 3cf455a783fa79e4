import {
  type AnyEndpoint,
  cancelPortalExecution,
  type ErrorBody,
  executePortal,
  followPortalExecution,
  loginToPortal,
  type PortalCall,
  type PortalInfo,
  readPortalInfo,
  streamPortal,
} from '@millrace/contracts';
import { addressOf, errorMessage } from '@millrace/contracts/client';

/** The server answered, and it was no. */
export class Refusal extends Error {
  readonly status: number;
  /** From `Retry-After`. */
  readonly wait_seconds: number | undefined;

  constructor(status: number, message: string, wait_seconds?: number) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.wait_seconds = wait_seconds;
  }
}

/** One portal; `token` is that of the visitor's session, where the portal has users. */
export interface Door {
  readonly slug: string;
  readonly token: string | undefined;
}

export interface PortalSession {
  readonly session_token: string;
  readonly expires_at: string;
}

interface Sent {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

async function refusalOf(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => undefined)) as ErrorBody | undefined;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const message = body?.detail === undefined ? '' : errorMessage(body, '');
  return new Refusal(response.status, message, Number.isFinite(seconds) ? seconds : undefined);
}

/** @throws Refusal; TypeError when the server cannot be reached */
async function call(endpoint: AnyEndpoint, { slug, token }: Door, sent: Sent = {}): Promise<Response> {
  const { params, query, body, signal } = sent;
  return fetch(addressOf(endpoint, { params: { slug, ...params }, query }), {
    method: endpoint.method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    // Visitors are known by the session of the portal only.
    credentials: 'omit',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
}

async function accepted(response: Promise<Response>): Promise<Response> {
  const answer = await response;
  if (!answer.ok) throw await refusalOf(answer);
  return answer;
}

export async function readInfo(slug: string): Promise<PortalInfo> {
  const response = await accepted(call(readPortalInfo, { slug, token: undefined }));
  return (await response.json()) as PortalInfo;
}

export async function login(
  slug: string,
  body: { username: string; password: string },
): Promise<PortalSession> {
  const response = await accepted(call(loginToPortal, { slug, token: undefined }, { body }));
  return (await response.json()) as PortalSession;
}

export const openStream = (door: Door, body: PortalCall): Promise<Response> =>
  accepted(call(streamPortal, door, { body }));

export const openFollowed = (door: Door, execution_id: string): Promise<Response> =>
  accepted(call(followPortalExecution, door, { params: { execution_id } }));

export interface Envelope {
  readonly status: string;
  readonly outputs: unknown;
}

function isEnvelope(body: unknown): body is Envelope {
  return typeof body === 'object' && body !== null && 'status' in body && 'outputs' in body;
}

/** The answer in one piece. A Throw Error node sets the status code, so an envelope may come with any. */
export async function execute(door: Door, body: PortalCall, signal: AbortSignal): Promise<Envelope> {
  const query = { cancel_on_disconnect: 'true' };
  const response = await call(executePortal, door, { query, body, signal });
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  if (response.status !== 429 && isEnvelope(answer)) return answer;
  throw await refusalOf(response);
}

/** §3.4: ends the run on the server. One that is over already is fine, too. */
export async function cancelRun(door: Door, execution_id: string): Promise<void> {
  const response = await call(cancelPortalExecution, door, { params: { execution_id } });
  if (!response.ok && response.status !== 404) throw await refusalOf(response);
}
