import { z } from 'zod';
import { timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

const tag = 'MCP';

/** An open event stream of a client. Streamable HTTP keeps nothing between requests, so it has no sessions. */
export const mcpSession = z
  .object({
    id: uuid,
    /** The name that the client gives itself; null before it has done so. */
    client_name: z.string().nullable(),
    /** Null is the default server. */
    server_id: uuid.nullable(),
    server_name: z.string().nullable(),
    created_at: timestamp,
    last_call_at: timestamp.nullable(),
    expires_at: timestamp,
  })
  .meta({ id: 'McpSession' });
export type McpSession = z.infer<typeof mcpSession>;

export const listMcpSessions = endpoint({
  id: 'listMcpSessions',
  method: 'GET',
  path: '/api/mcp/sessions',
  tag,
  summary: 'The newest 200 open event streams of MCP clients at own servers, newest first',
  auth: 'session',
  response: z.array(mcpSession),
});

export const endMcpSession = endpoint({
  id: 'endMcpSession',
  method: 'DELETE',
  path: '/api/mcp/sessions/{session_id}',
  tag,
  summary: 'End a session; its stream closes and its token is refused in every process at once',
  auth: 'session',
  params: z.object({ session_id: uuid }),
  errors: ['not_found'],
});
