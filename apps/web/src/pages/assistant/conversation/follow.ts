import type { AnyEndpoint, AssistantFrame } from '@millrace/contracts';
import { addressOf, errorOf } from '@millrace/contracts/client';
import { sessionFetch } from '../../../data/api.ts';
import { readFrames } from '../../../lib/event-frames.ts';

interface Turn {
  readonly body: object;
  /** Aborting it ends the turn on the server, too. */
  readonly signal: AbortSignal;
  readonly receive: (frame: AssistantFrame) => void;
}

/** Takes one turn with an assistant to the end of its stream. Throws `ApiError` when the server refuses it. */
export async function follow(endpoint: AnyEndpoint, { body, signal, receive }: Turn): Promise<void> {
  const response = await sessionFetch(addressOf(endpoint, {}), {
    method: endpoint.method,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw await errorOf(response);
  if (!response.body) return;
  for await (const { event } of readFrames<AssistantFrame>(response.body)) receive(event);
}
