import { isJsonObject, type JsonObject } from '@millrace/engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../core/app-error.ts';
import type { Binder } from '../../../http/bind.ts';
import { parseJsonBody } from '../../../http/bodies/json-bodies.ts';
import { RPC } from './rpc.ts';
import type { McpStreams } from './streams.ts';
import {
  type Conversation,
  cancelledId,
  createToolServer,
  exchange,
  isRequest,
  type ToolServerNeeds,
} from './tool-server.ts';

export interface Http {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const rpcError = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  id: typeof id === 'string' || typeof id === 'number' ? id : null,
  error: { code, message },
});

export function sendRpcError(reply: FastifyReply, code: number, message: string): FastifyReply {
  return reply.code(400).send(rpcError(null, code, message));
}

/** The JSON of a request; undefined when there is none. */
export async function readMessage(
  { readBody }: Pick<Binder, 'readBody'>,
  http: Http,
  max_bytes: number | undefined,
): Promise<unknown> {
  return parseJsonBody(await readBody(http, max_bytes ?? 0));
}

/** Clients of the oldest protocol may leave out what `initialize` must have since; they are answered in that protocol. */
function completed(message: JsonObject): JsonObject {
  const { method, params = {} } = message;
  if (method !== 'initialize' || !isJsonObject(params)) return message;
  const clientInfo = { name: 'unknown', version: '0' };
  return { ...message, params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo, ...params } };
}

/**
 * One JSON-RPC message of the older transports, or undefined when it was refused: broken JSON, a batch, no message.
 */
export async function readRpcMessage(
  binder: Pick<Binder, 'readBody'>,
  http: Http,
  max_bytes: number | undefined,
): Promise<JsonObject | undefined> {
  let message: unknown;
  try {
    message = await readMessage(binder, http, max_bytes);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error;
    sendRpcError(http.reply, RPC.parse_error, 'The message is not valid JSON');
    return undefined;
  }
  if (Array.isArray(message)) {
    sendRpcError(http.reply, RPC.invalid_request, 'Batches are not answered; send one message at a time');
    return undefined;
  }
  const { isJSONRPCNotification, isJSONRPCRequest } = await import('@modelcontextprotocol/server');
  const known = isJsonObject(message) ? completed(message) : {};
  // The official server never answers a message that is neither, so the client would wait forever.
  if (isJSONRPCRequest(known) || isJSONRPCNotification(known)) return known;
  const words = 'This is not a JSON-RPC 2.0 request or notification';
  http.reply.code(400).send(rpcError(known['id'], RPC.invalid_request, words));
  return undefined;
}

/** Notifications of a client; only a cancellation has an effect. */
export function takeNotification(
  { cancellations }: ToolServerNeeds,
  { scope }: Conversation,
  message: JsonObject,
) {
  const id = cancelledId(message);
  if (id !== undefined && scope !== undefined) cancellations.cancel({ scope, id });
}

/** Answers a message in the body of its own request. */
export async function answerHere(
  needs: ToolServerNeeds,
  conversation: Conversation,
  { message, reply }: { message: JsonObject; reply: FastifyReply },
): Promise<FastifyReply> {
  if (!isRequest(message)) {
    takeNotification(needs, conversation, message);
    return reply.send({ jsonrpc: '2.0' });
  }
  let answer: unknown;
  const server = await createToolServer(needs, conversation);
  await exchange(server, message, (sent) => {
    if (!('method' in sent)) answer = sent;
  });
  return reply.send(answer);
}

/** Takes a message over and answers it on the event stream, which another process may hold. */
export function answerOnStream(
  needs: ToolServerNeeds & { readonly streams: McpStreams },
  conversation: Conversation,
  { message, stream_id }: { message: JsonObject; stream_id: string },
): void {
  if (!isRequest(message)) {
    takeNotification(needs, conversation, message);
    return;
  }
  const { streams, services } = needs;
  createToolServer(needs, conversation)
    .then((server) => exchange(server, message, (sent) => streams.send(stream_id, sent)))
    .catch((error: unknown) => {
      services.log.error({ err: error }, 'an MCP message failed');
      streams.send(stream_id, rpcError(message['id'], RPC.internal, 'Something went wrong on our side'));
    });
}
