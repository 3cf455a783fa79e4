import {
  cancelPortalExecution,
  executePortal,
  followPortalExecution,
  loginToPortal,
  type PortalCall,
  type PortalInfo,
  type ResponseOf,
  readPortalInfo,
  streamPortal,
} from '@millrace/contracts';
import { ApiError, createClient, createSender, errorMessage, errorOf } from '@millrace/contracts/client';

export { ApiError };

/** One portal; `token` is that of the visitor's session, where the portal has users. */
export interface Door {
  readonly slug: string;
  readonly token: string | undefined;
}

// Visitors are known by the session of the portal only.
const options = { credentials: 'omit' } as const;
const call = createClient(options);
const open = createSender(options);

const withSession = ({ token }: Door) =>
  token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };

/** What the server says about a refusal; empty when it says nothing. */
export const detailOf = ({ body }: ApiError): string => errorMessage(body, '');

export const readInfo = (slug: string): Promise<PortalInfo> => call(readPortalInfo, { params: { slug } });

export const login = (
  slug: string,
  body: { username: string; password: string },
): Promise<ResponseOf<typeof loginToPortal>> => call(loginToPortal, { params: { slug }, body });

async function accepted(sent: Promise<Response>): Promise<Response> {
  const response = await sent;
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** @throws ApiError; TypeError when the server cannot be reached */
export const openStream = (door: Door, body: PortalCall): Promise<Response> =>
  accepted(open(streamPortal, { params: { slug: door.slug }, body }, withSession(door)));

/** Errors as `openStream`. */
export const openFollowed = (door: Door, execution_id: string): Promise<Response> =>
  accepted(open(followPortalExecution, { params: { slug: door.slug, execution_id } }, withSession(door)));

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
  const response = await open(
    executePortal,
    { params: { slug: door.slug }, query, body },
    { ...withSession(door), signal },
  );
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  if (response.status !== 429 && isEnvelope(answer)) return answer;
  throw await errorOf(response);
}

/** §3.4: ends the run on the server. One that is over already is fine, too. */
export async function cancelRun(door: Door, execution_id: string): Promise<void> {
  try {
    await call(cancelPortalExecution, { params: { slug: door.slug, execution_id } }, withSession(door));
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}
