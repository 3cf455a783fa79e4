import type { FastifyReply } from 'fastify';
import { AppError, unauthenticated } from '../../../core/app-error.ts';
import { newId } from '../../../core/ids.ts';
import { openEventStream } from '../../../http/sse.ts';
import type { Services } from '../../../services.ts';
import { endWhenRevoked } from '../../executions/http/revocation.ts';
import { mcpPath } from '../address.ts';
import { callerAgain, issueSessionToken, SESSION_TOKEN_SECONDS } from '../callers.ts';
import { deleteSession, insertSession, isSession } from '../sessions.ts';
import { identifyMcpCaller, type McpRequest } from './identify.ts';
import type { McpStreams } from './streams.ts';

/** A stream costs little, but not nothing. */
const MOST_STREAMS = 5_000;

/**
 * `GET /api/mcp/sse`, and that of each named server: the first event names the address for messages. It is relative, so that
 * it is right behind every proxy, and holds a token for one hour instead of the key (§5.6). The stream ends with its token, and when the key is replaced.
 */
export async function openMcpStream(
  services: Services,
  streams: McpStreams,
  reply: FastifyReply,
  received: McpRequest,
): Promise<FastifyReply> {
  const caller = await identifyMcpCaller(services, received);
  if (streams.size >= MOST_STREAMS) {
    throw new AppError('rate_limited', 'Too many MCP streams are open at this process; try again later', {
      headers: { 'Retry-After': '60' },
    });
  }
  const stream_id = newId();
  const session = await issueSessionToken(services, caller, stream_id);
  const { db } = services.database;
  const { user_id } = caller.principal;
  const created_at = new Date(services.now());
  const expires_at = new Date(services.now() + SESSION_TOKEN_SECONDS * 1000);
  const { server_id } = received;
  await insertSession(db, { id: stream_id, user_id, server_id, created_at, expires_at }, created_at);
  const writer = openEventStream(reply);
  writer.onClose(() => {
    deleteSession(db, stream_id).catch((error: unknown) =>
      services.log.warn({ err: error }, 'an MCP session was not removed; it expires'),
    );
  });
  await streams.open(stream_id, { writer, user_id });
  writer.send({ event: 'endpoint', data: `${mcpPath(received.server_id)}/message?session=${session}` });
  const over = setTimeout(() => writer.end(), SESSION_TOKEN_SECONDS * 1000);
  over.unref();
  writer.onClose(() => clearTimeout(over));
  writer.onClose(services.execution.streams.add({ run_id: stream_id, leave: () => writer.end() }));
  const stillAllowed = async () => {
    if (!(await callerAgain(services, caller))) throw unauthenticated('The key was replaced');
    if (!(await isSession(db, stream_id))) throw unauthenticated('The session was ended');
  };
  endWhenRevoked(services, reply, stillAllowed, `user:${user_id}`);
  return reply;
}
