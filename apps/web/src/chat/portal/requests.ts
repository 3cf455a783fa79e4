import {
  cancelPortalExecution,
  createPortalConversation,
  decideReview,
  deletePortalConversation,
  executePortal,
  followPortalExecution,
  listPortalConversations,
  loginToPortal,
  type PortalCall,
  type PortalConversation,
  type PortalInfo,
  type ResponseOf,
  type Review,
  type ReviewDecision,
  readPortalConversation,
  readPortalInfo,
  readReview,
  streamPortal,
  VISITOR_TOKEN_HEADER,
} from '@millrace/contracts';
import { ApiError, createClient, createSender, errorMessage, readApiError } from '@millrace/contracts/client';

import { fetchWithProgress } from './fetch-with-progress.ts';

export { ApiError };

/** One portal and its visitor. */
export interface Door {
  readonly slug: string;
  /** Of the session, where the portal has users. */
  readonly token?: string | undefined;
  /** Of a visitor without a login who has written before. */
  readonly visitor_token?: string | undefined;
}

// Visitors are known by the session of the portal only.
const options = { credentials: 'omit' } as const;
const call = createClient(options);
const open = createSender(options);
const createProgressSender = (onSent: (share: number) => void) =>
  createSender({ ...options, fetch: fetchWithProgress(onSent) });

const asVisitor = ({ token, visitor_token }: Door) => ({
  headers: {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(visitor_token === undefined ? {} : { [VISITOR_TOKEN_HEADER]: visitor_token }),
  },
});

/** The server's explanation of a refusal; empty when it gives none. */
export const getDetail = ({ body }: ApiError): string => errorMessage(body, '');

export const readInfo = (slug: string): Promise<PortalInfo> => call(readPortalInfo, { params: { slug } });

export const login = (
  slug: string,
  body: { username: string; password: string },
): Promise<ResponseOf<typeof loginToPortal>> => call(loginToPortal, { params: { slug }, body });

export const beginConversation = (door: Door): Promise<ResponseOf<typeof createPortalConversation>> =>
  call(createPortalConversation, { params: { slug: door.slug } }, asVisitor(door));

export const listConversations = (door: Door): Promise<ResponseOf<typeof listPortalConversations>> =>
  call(listPortalConversations, { params: { slug: door.slug }, query: { limit: 100 } }, asVisitor(door));

/** @throws ApiError 404 when it was deleted or is of someone else */
export const readConversation = (door: Door, conversation_id: string): Promise<PortalConversation> =>
  call(readPortalConversation, { params: { slug: door.slug, conversation_id } }, asVisitor(door));

/** One that is gone already is fine, too. */
export async function deleteConversation(door: Door, conversation_id: string): Promise<void> {
  try {
    await call(deletePortalConversation, { params: { slug: door.slug, conversation_id } }, asVisitor(door));
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

async function accepted(sent: Promise<Response>): Promise<Response> {
  const response = await sent;
  if (!response.ok) throw await readApiError(response);
  return response;
}

/** The text of the answer while it is written. */
const query = { tokens: 'true' };

/** @throws ApiError; TypeError when the server cannot be reached */
export const openStream = (
  door: Door,
  body: PortalCall,
  onSent: (share: number) => void,
): Promise<Response> =>
  accepted(
    createProgressSender(onSent)(streamPortal, { params: { slug: door.slug }, query, body }, asVisitor(door)),
  );

/** Errors as `openStream`. */
export const openFollowed = (door: Door, execution_id: string): Promise<Response> =>
  accepted(
    open(followPortalExecution, { params: { slug: door.slug, execution_id }, query }, asVisitor(door)),
  );

export interface Envelope {
  readonly status: string;
  readonly outputs: unknown;
  readonly execution_history_id: string;
}

function isEnvelope(body: unknown): body is Envelope {
  return typeof body === 'object' && body !== null && 'status' in body && 'outputs' in body;
}

interface Sending {
  readonly signal: AbortSignal;
  readonly onSent: (share: number) => void;
}

/** The answer in one piece. A Throw Error node sets the status code, so an envelope may come with any. */
export async function execute(door: Door, body: PortalCall, { signal, onSent }: Sending): Promise<Envelope> {
  const response = await createProgressSender(onSent)(
    executePortal,
    { params: { slug: door.slug }, query: {}, body },
    { ...asVisitor(door), signal },
  );
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  if (response.status !== 429 && isEnvelope(answer)) return answer;
  throw await readApiError(response);
}

/** §3.4: ends the run on the server. One that is over already is fine, too. */
export async function cancelRun(door: Door, execution_id: string): Promise<void> {
  try {
    await call(cancelPortalExecution, { params: { slug: door.slug, execution_id } }, asVisitor(door));
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

/** The token of a review is all that it takes to decide it. Errors as `openStream`. */
export const openReview = (token: string): Promise<Review> => call(readReview, { params: { token } });

export const sendDecision = (token: string, body: ReviewDecision): Promise<unknown> =>
  call(decideReview, { params: { token }, body });
