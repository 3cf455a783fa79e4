import type { AnyEndpoint, AssistantFrame } from '@millrace/contracts';
import { addressOf, errorOf } from '@millrace/contracts/client';
import { sessionFetch } from '../../../data/api.ts';
import { readFrames } from '../../../lib/event-frames.ts';
import { type Answer, withFrame } from './message.ts';

interface Turn {
  readonly body: object;
  /** Aborting it ends the turn on the server, too. */
  readonly signal: AbortSignal;
  /** Called with what each frame, and the end, make of the answer. */
  readonly change: (next: (now: Answer) => Answer) => void;
  /** Called with each frame before the answer shows it. */
  readonly receive?: (frame: AssistantFrame) => void;
}

/** Throws `ApiError` when the server refuses the turn. */
async function* framesOf(endpoint: AnyEndpoint, { body, signal }: Turn): AsyncGenerator<AssistantFrame> {
  const response = await sessionFetch(addressOf(endpoint, {}), {
    method: endpoint.method,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw await errorOf(response);
  if (!response.body) return;
  for await (const { event } of readFrames<AssistantFrame>(response.body)) yield event;
}

/**
 * Takes one turn with an assistant to the end of its stream; how it ended is the state of the answer.
 *
 * @returns whether the server took it
 */
export async function takeTurn(endpoint: AnyEndpoint, turn: Turn): Promise<boolean> {
  const { signal, change, receive } = turn;
  let isTaken = false;
  try {
    for await (const frame of framesOf(endpoint, turn)) {
      isTaken = true;
      receive?.(frame);
      change((now) => withFrame(now, frame));
    }
    change((now) => (now.state === 'open' ? { ...now, state: 'lost' } : now));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    change((now) => (signal.aborted ? { ...now, state: 'stopped' } : { ...now, state: 'failed', problem }));
  }
  return isTaken;
}
