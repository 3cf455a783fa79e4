import { z } from 'zod';
import { definePage, idParams, shortPage, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { runStatus } from './executions.ts';
import { visitor } from './portal-visitors.ts';
import { storedText } from './text.ts';

/** Header with the secret of a visitor without a login; a conversation is found by the secret that it was begun with. */
export const VISITOR_TOKEN_HEADER = 'x-visitor-token';
/** 32 random bytes in base64url. */
export const visitorToken = z
  .string()
  .regex(/^[\w-]{43,200}$/, 'must be a token that this server has given out: 43 letters, digits, - and _');

/** Turns of one conversation that are shown and that a run reads; older ones are left out. */
export const MAX_TURNS = 200;

const conversationShape = z.object({
  id: uuid,
  title: z.string().describe('Beginning of the first message; empty before that.'),
  created_at: timestamp,
  updated_at: timestamp.describe('Of the last message.'),
  turn_count: z.int(),
});

export const portalConversationItem = conversationShape.meta({ id: 'PortalConversationItem' });
export type PortalConversationItem = z.infer<typeof portalConversationItem>;

/** A message of a visitor and the run that answers it. */
export const portalTurn = z
  .object({
    execution_id: uuid,
    created_at: timestamp,
    inputs: z.record(z.string(), z.json()).describe('Values of credentials are masked.'),
    status: runStatus,
    outputs: z.unknown().describe('As the run answered; null while it works.'),
    execution_time_ms: z.int().nullable(),
  })
  .meta({ id: 'PortalTurn' });
export type PortalTurn = z.infer<typeof portalTurn>;

export const portalConversation = conversationShape
  .extend({
    turns: z.array(portalTurn).describe(`Oldest first; the newest ${MAX_TURNS}.`),
  })
  .meta({ id: 'PortalConversation' });
export type PortalConversation = z.infer<typeof portalConversation>;

const tag = 'Portal';
const path = '/api/portal/{slug}/conversations';
const params = z.object({ slug: storedText(255) });
const one = params.extend({ conversation_id: uuid });
const byVisitor =
  'A portal with users needs their session; elsewhere `X-Visitor-Token` names the visitor, without which there is none to be found';

export const createPortalConversation = endpoint({
  id: 'createPortalConversation',
  method: 'POST',
  path,
  tag,
  summary:
    'Begin a conversation, whose id calls of the portal name as `conversation_id`. In a public portal a visitor without `X-Visitor-Token` gets one, once',
  auth: 'own',
  params,
  status: 201,
  response: z.object({ id: uuid, visitor_token: z.string().nullable() }),
  errors: ['unauthenticated', 'not_found', 'rate_limited', 'invalid_input'],
});

export const listPortalConversations = endpoint({
  id: 'listPortalConversations',
  method: 'GET',
  path,
  tag,
  summary: `Conversations of the visitor, the last used first. ${byVisitor}`,
  auth: 'own',
  params,
  query: shortPage,
  response: definePage(portalConversationItem).meta({ id: 'PortalConversationList' }),
  errors: ['unauthenticated', 'not_found', 'rate_limited', 'invalid_input'],
});

export const readPortalConversation = endpoint({
  id: 'readPortalConversation',
  method: 'GET',
  path: `${path}/{conversation_id}`,
  tag,
  summary: 'One conversation of the visitor with its messages and answers',
  auth: 'own',
  params: one,
  response: portalConversation,
  errors: ['unauthenticated', 'not_found', 'rate_limited', 'invalid_input'],
});

export const deletePortalConversation = endpoint({
  id: 'deletePortalConversation',
  method: 'DELETE',
  path: `${path}/{conversation_id}`,
  tag,
  summary: "Delete a conversation of the visitor; its runs stay in the owner's history",
  auth: 'own',
  params: one,
  errors: ['unauthenticated', 'not_found', 'rate_limited', 'invalid_input'],
});

export const portalVisitorEndpoints = [
  createPortalConversation,
  listPortalConversations,
  readPortalConversation,
  deletePortalConversation,
] as const;

const ownerPath = '/api/workflows/{id}/portal/conversations';
const ownerOne = idParams.extend({ conversation_id: uuid });

export const visitedConversation = conversationShape.extend(visitor).meta({ id: 'VisitedConversation' });
export type VisitedConversation = z.infer<typeof visitedConversation>;

export const listWorkflowConversations = endpoint({
  id: 'listWorkflowConversations',
  method: 'GET',
  path: ownerPath,
  tag,
  summary: 'Conversations of all visitors of the portal, or of one, the last used first',
  auth: 'session',
  params: idParams,
  query: shortPage.extend({ visitor_id: storedText(36).optional() }),
  response: definePage(visitedConversation).meta({ id: 'VisitedConversationList' }),
  errors: ['not_found', 'invalid_input'],
});

export const readWorkflowConversation = endpoint({
  id: 'readWorkflowConversation',
  method: 'GET',
  path: `${ownerPath}/{conversation_id}`,
  tag,
  summary: 'One conversation with its visitor and its runs',
  auth: 'session',
  params: ownerOne,
  response: portalConversation.extend(visitor).meta({ id: 'VisitedConversationDetail' }),
  errors: ['not_found'],
});

export const deleteWorkflowConversation = endpoint({
  id: 'deleteWorkflowConversation',
  method: 'DELETE',
  path: `${ownerPath}/{conversation_id}`,
  tag,
  summary: 'Delete a conversation of a visitor; its runs stay in the history',
  auth: 'session',
  params: ownerOne,
  errors: ['forbidden', 'not_found'],
});

export const portalConversationEndpoints = [
  ...portalVisitorEndpoints,
  listWorkflowConversations,
  readWorkflowConversation,
  deleteWorkflowConversation,
] as const;
