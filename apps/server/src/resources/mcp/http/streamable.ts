import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { isJsonObject } from '@millrace/engine';
import type { AuthInfo, McpHttpHandler, McpServerFactory } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../core/app-error.ts';
import { newId } from '../../../core/ids.ts';
import { parseJsonBody } from '../../../http/bodies/json-bodies.ts';
import { type Http, sendRpcError, takeNotification } from './messages.ts';
import { RPC } from './rpc.ts';
import { type Conversation, cancelledId, createToolServer, type ToolServerNeeds } from './tool-server.ts';

export interface StreamableMessage {
  readonly conversation: Conversation;
  readonly bytes: Buffer;
}

/** Streamable HTTP: each request is answered on its own by any process; nothing is kept between them. */
export interface Streamable {
  answer(http: Http, message: StreamableMessage): Promise<FastifyReply>;
  close(): Promise<void>;
}

const SESSION = 'mcp-session-id';
/** Names a conversation for cancellations alone; it opens nothing. */
const SESSION_ID = /^[\w-]{8,64}$/;

function findScope({ headers }: FastifyRequest, user_id: string): string | undefined {
  const session = headers[SESSION];
  return typeof session === 'string' && SESSION_ID.test(session) ? `${user_id} ${session}` : undefined;
}

/**
 * The library wants both types named, although requests are answered with an event stream: who takes that, by name or as
 * anything, is answered.
 */
const ACCEPT_BOTH = 'application/json, text/event-stream';
const takesStream = (accept = '*/*'): boolean => /text\/event-stream|\*\/\*/i.test(accept);

/** The request without what proves the caller: that has been read. */
function webRequest({ request, reply }: Http, bytes: Buffer): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && name !== 'authorization' && name !== 'cookie') headers.set(name, value);
  }
  if (takesStream(request.headers.accept)) headers.set('accept', ACCEPT_BOTH);
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const url = `http://mcp.invalid${request.url}`;
  return new Request(url, { method: 'POST', headers, body: Uint8Array.from(bytes), signal: left.signal });
}

/** The browser's declaration of the same class, where it is in scope as well, differs in one overload. */
const webStream = (body: unknown) => body as WebStream;

function sendWeb(reply: FastifyReply, answer: Response): FastifyReply {
  reply.code(answer.status);
  for (const [name, value] of answer.headers) reply.header(name, value);
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    // Proxies that collect answers would hold frames back.
    reply.header('X-Accel-Buffering', 'no');
  }
  return reply.send(answer.body ? Readable.fromWeb(webStream(answer.body)) : '');
}

const isInitialize = (message: unknown): boolean =>
  isJsonObject(message) && message['method'] === 'initialize';

const conversations = new WeakMap<AuthInfo, Conversation>();

export function createStreamable(needs: ToolServerNeeds): Streamable {
  const { services } = needs;
  let handler: Promise<McpHttpHandler> | undefined;
  const factory: McpServerFactory = ({ authInfo, era }) => {
    const conversation = authInfo && conversations.get(authInfo);
    if (!conversation) throw new Error('a request reached the MCP server without its caller');
    return createToolServer(needs, { ...conversation, ends_with_request: era === 'modern' });
  };

  async function makeHandler(): Promise<McpHttpHandler> {
    const { createMcpHandler } = await import('@modelcontextprotocol/server');
    const onerror = (error: Error) => services.log.info({ err: error }, 'an MCP request was refused');
    return createMcpHandler(factory, { legacy: 'stateless', onerror });
  }

  const endChanges = services.broadcast.subscribe('mcp_tools_changed', () => {
    handler?.then(
      ({ notify }) => {
        notify.toolsChanged();
        notify.resourcesChanged();
      },
      () => undefined,
    );
  });

  return {
    async answer(http, { conversation, bytes }) {
      const { request, reply } = http;
      const { principal } = conversation.caller;
      let message: unknown;
      try {
        message = parseJsonBody(bytes);
      } catch (error) {
        if (error instanceof AppError)
          return sendRpcError(reply, RPC.parse_error, 'The message is not valid JSON');
        throw error;
      }
      const scope = findScope(request, principal.user_id);
      if (isJsonObject(message) && cancelledId(message) !== undefined) {
        takeNotification(needs, { ...conversation, scope }, message);
        return reply.code(202).send();
      }
      if (isInitialize(message)) reply.header(SESSION, newId());
      handler ??= makeHandler();
      const { fetch } = await handler;
      const authInfo: AuthInfo = { token: '', clientId: principal.user_id, scopes: [...principal.scopes] };
      conversations.set(authInfo, { ...conversation, scope });
      return sendWeb(reply, await fetch(webRequest(http, bytes), { authInfo, parsedBody: message }));
    },
    async close() {
      endChanges();
      await (await handler)?.close();
    },
  };
}
