import { isJsonObject, type JsonObject } from '@millrace/engine';
import type { JSONRPCMessage, JSONRPCRequest, Server } from '@modelcontextprotocol/server';
import { AppError } from '../../../core/app-error.ts';
import { API_INFO } from '../../../http/documentation.ts';
import type { Services } from '../../../services.ts';
import type { McpCaller } from '../callers.ts';
import { callTool } from '../tools/call.ts';
import { listTools } from '../tools/list.ts';
import type { Cancellations } from './cancellations.ts';
import { reportProgress } from './progress.ts';
import { hasPrompts, offerPrompts, offerResources } from './resources-and-prompts.ts';
import { nextCursor, parseRange, RPC } from './rpc.ts';

/** One caller in one conversation. */
export interface Conversation {
  readonly caller: Pick<McpCaller, 'principal' | 'toolset'>;
  readonly ip: string;
  readonly request_id: string;
  /** Names the conversation for cancellations; absent where a client cannot send any. */
  readonly scope: string | undefined;
  /** A client that closes the request of a call cancels the call, as protocols from 2026-07-28 on say; earlier ones do not. */
  readonly ends_with_request?: boolean;
}

/** The answer to a client for a refusal; causes stay in the log. */
function toRpcError(services: Services, error: unknown): { code: number; message: string } {
  if (!(error instanceof AppError)) {
    services.log.error({ err: error }, 'an MCP call failed');
    return { code: RPC.internal, message: 'Something went wrong on our side' };
  }
  const code = error.code === 'bad_request' ? RPC.invalid_params : RPC.internal;
  return { code, message: error.message };
}

export interface ToolServerNeeds {
  readonly services: Services;
  readonly cancellations: Cancellations;
}

/** The official server with what ours offers, for one exchange of one caller; every transport of MCP leads here. */
export async function createToolServer(
  { services, cancellations }: ToolServerNeeds,
  { caller, ip, request_id, scope, ends_with_request = false }: Conversation,
): Promise<Server> {
  const sdk = await import('@modelcontextprotocol/server');
  const { db } = services.database;
  const { principal, toolset } = caller;
  const server = new sdk.Server(
    { name: API_INFO.title.toLowerCase(), title: API_INFO.title, version: API_INFO.version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true },
        ...(hasPrompts(toolset) ? { prompts: {} } : {}),
      },
    },
  );
  offerResources(server, { sdk, db, toolset });
  if (hasPrompts(toolset)) offerPrompts(server, { sdk, db, toolset });
  server.setRequestHandler('tools/list', async ({ params }) => {
    const { items, next } = await listTools(db, toolset, parseRange(params));
    return { tools: items, ...nextCursor(next) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const cancelled = new AbortController();
    const cancel = () => cancelled.abort();
    const { signal, id } = context.mcpReq;
    if (ends_with_request) {
      if (signal.aborted) cancel();
      signal.addEventListener('abort', cancel, { once: true });
    }
    const done = scope === undefined ? undefined : cancellations.add({ scope, id }, cancel);
    const progress = reportProgress(context);
    try {
      const input = params.arguments ?? {};
      const call = { principal, toolset, ip, request_id, name: params.name, input: input as JsonObject };
      const result = await callTool(services, {
        ...call,
        cancelled: cancelled.signal,
        observer: progress?.observer,
      });
      if (result) return result;
    } catch (error) {
      const { code, message } = toRpcError(services, error);
      throw new sdk.ProtocolError(code, message);
    } finally {
      progress?.stop();
      done?.();
    }
    throw new sdk.ProtocolError(RPC.not_found, `There is no tool "${params.name}"`);
  });
  return server;
}

export const isRequest = (message: JsonObject): boolean =>
  typeof message['method'] === 'string' &&
  (typeof message['id'] === 'string' || typeof message['id'] === 'number');

/** The request that a cancellation names. */
export function cancelledId(message: unknown): string | number | undefined {
  if (!isJsonObject(message) || message['method'] !== 'notifications/cancelled') return undefined;
  const id = isJsonObject(message['params']) ? message['params']['requestId'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** Gives the server one request and hands on what it sends, notifications first; resolves behind its answer. */
export function exchange(
  server: Server,
  request: JsonObject,
  receive: (message: JSONRPCMessage) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const transport: Parameters<Server['connect']>[0] = {
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send(message) {
        receive(message);
        if ('id' in message && !('method' in message)) server.close().then(resolve, reject);
        return Promise.resolve();
      },
    };
    server
      .connect(transport)
      .then(() => transport.onmessage?.(request as unknown as JSONRPCRequest))
      .catch(reject);
  });
}
