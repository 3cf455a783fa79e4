import { z } from 'zod';
import { definePage, idParams, shortPage, timestamp } from './common.ts';
import { endpoint } from './endpoint.ts';

const tag = 'Portal';
const path = '/api/workflows/{id}/portal';

export const visitor = {
  visitor_id: z.string().describe('The same for all conversations of a visitor.'),
  username: z.string().nullable().describe('Null for a visitor without a login.'),
};

export const portalVisitor = z
  .object({
    ...visitor,
    conversation_count: z.int(),
    message_count: z.int(),
    first_active_at: timestamp,
    last_active_at: timestamp,
  })
  .meta({ id: 'PortalVisitor' });
export type PortalVisitor = z.infer<typeof portalVisitor>;

const counts = {
  messages: z.int().describe('In stored conversations.'),
  runs: z.int(),
  failures: z.int(),
  refused: z.int().describe('Calls beyond a limit; they are no runs.'),
  prompt_tokens: z.int().describe('As traces of the runs have them, and so the other two.'),
  completion_tokens: z.int(),
  cost_usd: z.number().nullable().describe('Null when no trace has a price.'),
};

export const portalUsage = z
  .object({
    days: z
      .array(z.object({ date: z.string().describe('UTC, such as 2026-01-31.'), ...counts }))
      .describe('Oldest first, those without a message included.'),
    total: z.object({ visitors: z.int(), ...counts }),
  })
  .meta({ id: 'PortalUsage' });
export type PortalUsage = z.infer<typeof portalUsage>;

export const listPortalVisitors = endpoint({
  id: 'listPortalVisitors',
  method: 'GET',
  path: `${path}/visitors`,
  tag,
  summary: 'People with a login and holders of visitor tokens who have written, the last active first',
  auth: 'session',
  params: idParams,
  query: shortPage,
  response: definePage(portalVisitor).meta({ id: 'PortalVisitorList' }),
  errors: ['not_found', 'invalid_input'],
});

export const readPortalUsage = endpoint({
  id: 'readPortalUsage',
  method: 'GET',
  path: `${path}/usage`,
  tag,
  summary:
    'Messages and runs of the portal per day, with failures, tokens and cost, as far as history is kept',
  auth: 'session',
  params: idParams,
  query: z.object({ days: z.coerce.number().int().min(1).max(90).default(30) }),
  response: portalUsage,
  errors: ['not_found', 'invalid_input'],
});

export const portalInsightEndpoints = [listPortalVisitors, readPortalUsage] as const;
