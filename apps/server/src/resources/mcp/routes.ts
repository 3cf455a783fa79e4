import * as contracts from '@millrace/contracts';
import { type AnyEndpoint, mcpToolResult } from '@millrace/contracts';
import { isJsonObject, type JsonObject } from '@millrace/engine';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, invalidField } from '../../core/app-error.ts';
import type { Binder } from '../../http/bind.ts';
import { requestBaseUrl } from '../../http/request-url.ts';
import type { McpCaller } from './callers.ts';
import { createCancellations } from './http/cancellations.ts';
import { identifyMcpCaller, identifyStreamCaller } from './http/identify.ts';
import { answerHere, answerOnStream, type Http, readMessage, readRpcMessage } from './http/messages.ts';
import { openMcpStream } from './http/sse.ts';
import { createStreamable } from './http/streamable.ts';
import { createMcpStreams } from './http/streams.ts';
import * as service from './service.ts';
import { callTool } from './tools/call.ts';
import { fetchTools } from './tools/fetch.ts';
import { listTools } from './tools/list.ts';

function requireCall(body: unknown): { name: string; input: JsonObject } {
  const call = body as JsonObject;
  if (!isJsonObject(call)) throw invalidField(['body'], 'must be an object');
  const { name, arguments: input = {} } = call;
  if (typeof name !== 'string') throw invalidField(['body', 'name'], 'must be the name of a tool');
  if (!isJsonObject(input)) throw invalidField(['body', 'arguments'], 'must be an object');
  return { name, input };
}

const callersOf = ({ services, clientAddress }: Binder) => ({
  identify: (request: FastifyRequest) => identifyMcpCaller(services, request),
  ipOf: (request: FastifyRequest) => clientAddress(request.headers, request.socket.remoteAddress),
});

function bindSettings(binder: Binder): void {
  const { services } = binder;
  binder.json(contracts.readMcpConfig, (context, _received, { request }) =>
    service.readConfig(context, requestBaseUrl(services, request)),
  );
  binder.json(contracts.regenerateMcpKey, (context) => service.regenerateKey(context));
  binder.json(contracts.switchMcpWorkflow, (context, { params, body }) =>
    service.switchWorkflow(context, params.id, body.mcp_enabled),
  );
  binder.json(contracts.fetchMcpTools, (context, { body }) =>
    fetchTools(context, services.egress, body.connection),
  );
}

/** Tools in plain HTTP. */
function bindTools(binder: Binder, { identify, ipOf }: ReturnType<typeof callersOf>): void {
  const { services } = binder;
  binder.raw(contracts.listMcpTools, async (context, _received, { request, reply }) => {
    const { principal } = await identify(request);
    return reply.send({ tools: (await listTools(context.db, principal.user_id)).tools });
  });

  binder.raw(contracts.callMcpTool, async (_context, _received, http) => {
    const { principal } = await identify(http.request);
    const call = requireCall(await readMessage(binder, http, contracts.callMcpTool.body_limit));
    const cancelled = new AbortController().signal;
    const failed = (text: string) => ({ content: [{ type: 'text', text }], isError: true });
    try {
      const result = await callTool(services, { principal, ip: ipOf(http.request), ...call, cancelled });
      return await http.reply.send(result ?? failed(`There is no tool "${call.name}"`));
    } catch (error) {
      if (error instanceof AppError) return http.reply.send(mcpToolResult.parse(failed(error.message)));
      throw error;
    }
  });
}

/** Workflows as tools of MCP clients (§4.3, §5.6). */
export function bindMcp(app: FastifyInstance, binder: Binder): void {
  const { services } = binder;
  const cancellations = createCancellations(services.broadcast);
  const streams = createMcpStreams(services);
  const needs = { services, cancellations, streams };
  const streamable = createStreamable(needs);
  // Before the server waits for its connections: open streams are some of them.
  app.addHook('preClose', async () => {
    cancellations.close();
    streams.close();
    await streamable.close();
  });
  const limitOf = ({ body_limit }: AnyEndpoint) => body_limit;
  const callers = callersOf(binder);
  const { identify, ipOf } = callers;
  const conversation = (caller: McpCaller, request: FastifyRequest, scope?: string) => ({
    caller,
    ip: ipOf(request),
    scope,
  });

  bindSettings(binder);
  bindTools(binder, callers);

  binder.raw(contracts.sendMcpMessage, async (_context, _received, http) => {
    const { request, reply } = http;
    const streaming = await identifyStreamCaller(services, request);
    const caller = streaming ?? (await identify(request));
    const message = await readRpcMessage(binder, http, limitOf(contracts.sendMcpMessage));
    if (!message) return reply;
    if (!streaming) return answerHere(needs, conversation(caller, request), { message, reply });
    const { stream_id } = streaming;
    if (!(await streams.isOpen(stream_id)))
      throw new AppError('conflict', 'The event stream of this session is closed; open another one');
    answerOnStream(needs, conversation(caller, request, stream_id), { message, stream_id });
    return reply.code(202).send();
  });

  const acceptsStream = ({ headers }: FastifyRequest) =>
    headers.accept?.includes('text/event-stream') ?? false;
  const answerStreamable = async (http: Http, caller: McpCaller, endpoint: AnyEndpoint) =>
    streamable.answer(http, {
      conversation: conversation(caller, http.request),
      bytes: await binder.readBody(http, limitOf(endpoint) ?? 0),
    });

  binder.raw(contracts.sendMcp, async (_context, _received, http) =>
    answerStreamable(http, await identify(http.request), contracts.sendMcp),
  );

  binder.raw(contracts.sendMcpSse, async (_context, _received, http) => {
    const caller = await identify(http.request);
    if (acceptsStream(http.request)) return answerStreamable(http, caller, contracts.sendMcpSse);
    const message = await readRpcMessage(binder, http, limitOf(contracts.sendMcpSse));
    if (!message) return http.reply;
    return answerHere(needs, conversation(caller, http.request), { message, reply: http.reply });
  });

  binder.raw(contracts.openMcpSse, (_context, _received, http) => openMcpStream(services, streams, http));
}
