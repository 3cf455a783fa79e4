import {
  type AnyEndpoint,
  type defaultMcpTransports,
  mcpToolResult,
  type serverMcpTransports,
} from '@millrace/contracts';
import { isJsonObject, type JsonObject } from '@millrace/engine';
import type { FastifyRequest } from 'fastify';
import { AppError, invalidField } from '../../../core/app-error.ts';
import type { Binder } from '../../../http/bind.ts';
import type { McpCaller } from '../callers.ts';
import { noteMessage } from '../sessions.ts';
import { callTool } from '../tools/call.ts';
import { listTools } from '../tools/list.ts';
import { identifyMcpCaller, identifyStreamCaller, type McpRequest } from './identify.ts';
import { answerHere, answerOnStream, type Http, readMessage, readRpcMessage } from './messages.ts';
import { openMcpStream } from './sse.ts';
import type { Streamable } from './streamable.ts';
import type { McpStreams } from './streams.ts';
import type { ToolServerNeeds } from './tool-server.ts';

type Transports = typeof defaultMcpTransports | typeof serverMcpTransports;

export interface TransportNeeds extends ToolServerNeeds {
  readonly streams: McpStreams;
  readonly streamable: Streamable;
}

/** The address without an id is that of the default server. */
const toServer = (
  { params }: { readonly params: { readonly id: string } | undefined },
  { request }: Http,
): McpRequest => ({ request, server_id: params?.id ?? null });

const resolveIp = ({ clientAddress }: Binder, { headers, socket }: FastifyRequest): string =>
  clientAddress(headers, socket.remoteAddress);

function requireCall(body: unknown): { name: string; input: JsonObject } {
  const call = body as JsonObject;
  if (!isJsonObject(call)) throw invalidField(['body'], 'must be an object');
  const { name, arguments: input = {} } = call;
  if (typeof name !== 'string') throw invalidField(['body', 'name'], 'must be the name of a tool');
  if (!isJsonObject(input)) throw invalidField(['body', 'arguments'], 'must be an object');
  return { name, input };
}

/** Tools in plain HTTP. */
function bindTools(binder: Binder, transports: Transports): void {
  const { services } = binder;
  binder.raw(transports.tools, async (context, received, http) => {
    const { toolset } = await identifyMcpCaller(services, toServer(received, http));
    return http.reply.send({ tools: (await listTools(context.db, toolset)).items });
  });

  binder.raw(transports.call, async (_context, received, http) => {
    const { principal, toolset } = await identifyMcpCaller(services, toServer(received, http));
    const call = requireCall(await readMessage(binder, http, transports.call.body_limit));
    const cancelled = new AbortController().signal;
    const failed = (text: string) => ({ content: [{ type: 'text', text }], isError: true });
    try {
      const ip = resolveIp(binder, http.request);
      const { id: request_id } = http.request;
      const result = await callTool(services, { principal, toolset, ip, request_id, ...call, cancelled });
      return await http.reply.send(result ?? failed(`There is no tool "${call.name}"`));
    } catch (error) {
      if (error instanceof AppError) return http.reply.send(mcpToolResult.parse(failed(error.message)));
      throw error;
    }
  });
}

/** The endpoints of one server for MCP clients; the address names the server. */
export function bindTransports(binder: Binder, needs: TransportNeeds, transports: Transports): void {
  const { services, streams, streamable } = needs;
  const conversation = (caller: McpCaller, request: FastifyRequest, scope?: string) => ({
    caller,
    ip: resolveIp(binder, request),
    request_id: request.id,
    scope,
  });
  bindTools(binder, transports);

  binder.raw(transports.message, async (context, received, http) => {
    const { request, reply } = http;
    const sent = toServer(received, http);
    const streaming = await identifyStreamCaller(services, sent);
    const caller = streaming ?? (await identifyMcpCaller(services, sent));
    const message = await readRpcMessage(binder, http, transports.message.body_limit);
    if (!message) return reply;
    if (!streaming) return answerHere(needs, conversation(caller, request), { message, reply });
    const { stream_id } = streaming;
    if (!(await streams.isOpen(stream_id)))
      throw new AppError('conflict', 'The event stream of this session is closed; open another one');
    await noteMessage(context, stream_id, message);
    answerOnStream(needs, conversation(caller, request, stream_id), { message, stream_id });
    return reply.code(202).send();
  });

  const acceptsStream = ({ headers }: FastifyRequest) =>
    headers.accept?.includes('text/event-stream') ?? false;
  const answerStreamable = async (http: Http, caller: McpCaller, { body_limit = 0 }: AnyEndpoint) =>
    streamable.answer(http, {
      conversation: conversation(caller, http.request),
      bytes: await binder.readBody(http, body_limit),
    });

  binder.raw(transports.streamable, async (_context, received, http) => {
    const caller = await identifyMcpCaller(services, toServer(received, http));
    return answerStreamable(http, caller, transports.streamable);
  });

  binder.raw(transports.sse, async (_context, received, http) => {
    const caller = await identifyMcpCaller(services, toServer(received, http));
    if (acceptsStream(http.request)) return answerStreamable(http, caller, transports.sse);
    const message = await readRpcMessage(binder, http, transports.sse.body_limit);
    if (!message) return http.reply;
    return answerHere(needs, conversation(caller, http.request), { message, reply: http.reply });
  });

  binder.raw(transports.stream, (_context, received, http) =>
    openMcpStream(services, streams, http.reply, toServer(received, http)),
  );
}
