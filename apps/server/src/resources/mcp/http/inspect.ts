import type { McpFrame } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { ownCaller } from '../callers.ts';
import type { Toolset } from '../queries.ts';
import { type Conversation, createToolServer, exchange, type ToolServerNeeds } from './tool-server.ts';

/** Everything that the protocol sends is JSON; its types say so of fewer parts. */
const jsonMessage = (message: unknown) => message as McpFrame['message'];

/** One request of a person to a server of theirs, answered as a client's; every frame in the order it was sent. */
export async function inspectServer(
  needs: ToolServerNeeds,
  { toolset, ...client }: { readonly toolset: Toolset } & Pick<Conversation, 'ip' | 'request_id'>,
  { method, params }: { readonly method: string; readonly params: JsonObject },
): Promise<McpFrame[]> {
  const request = { jsonrpc: '2.0', id: 1, method, params };
  const frames: McpFrame[] = [{ from: 'client', message: request }];
  const server = await createToolServer(needs, { ...client, caller: ownCaller(toolset), scope: undefined });
  await exchange(server, request, (message) => {
    frames.push({ from: 'server', message: jsonMessage(message) });
  });
  return frames;
}
