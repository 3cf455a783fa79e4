import { type JsonObject, NodeFailure } from '@millrace/engine';
import type { WebSocket } from 'ws';
import { socketFailure } from '../kit/network/websocket/open.ts';
import type { Target } from '../kit/network/websocket/target.ts';
import { parsedJson } from '../kit/text/parsed-json.ts';

/** Messages that wait in memory for the run of the one before; above that the server is not read. */
const MOST_AHEAD = 16;
const PING_EVERY_MS = 30_000;
const ABNORMAL = 1006;

/** A message as a run receives it. `data` is the value of JSON, else the text; bytes that are no text have neither. */
function parseMessage(bytes: Buffer, isBinary: boolean): JsonObject {
  const text = decodeText(bytes);
  const value = text === null ? undefined : parsedJson(text);
  return {
    type: isBinary ? 'binary' : 'text',
    text,
    data: value === undefined ? text : value,
    ...(isBinary ? { base64: bytes.toString('base64') } : {}),
    sizeBytes: bytes.length,
    isBinary,
    isJson: value !== undefined,
  };
}

function decodeText(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

type Happening =
  | { readonly name: 'onMessage'; readonly fields: JsonObject }
  | { readonly name: 'onClosed'; readonly fields: JsonObject; readonly failure: NodeFailure };

interface Watched {
  /** The next event; undefined when the trigger is no longer wanted here. */
  next(): Promise<Happening | undefined>;
}

function createCloseFailure({ host }: URL, code: number, said: string): NodeFailure {
  const words = said === '' ? '' : `: ${said.slice(0, 123)}`;
  return new NodeFailure({
    kind: 'upstream',
    message: `${host} ended the connection with code ${code}${words}`,
  });
}

/**
 * The events that happened and were not handed on yet, oldest first.
 *
 * @param onTaken how many are left
 */
function createBacklog(signal: AbortSignal, onTaken: (left: number) => void) {
  const waiting: Happening[] = [];
  let wake = () => {};
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    /** Returns how many wait. */
    add(happening: Happening): number {
      waiting.push(happening);
      wake();
      return waiting.length;
    },
    async next(): Promise<Happening | undefined> {
      while (!signal.aborted) {
        const happening = waiting.shift();
        if (happening) {
          onTaken(waiting.length);
          return happening;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return undefined;
    },
  };
}

/** Events of a connection in their order. Stops reading while too many of them wait, so that memory stays flat. */
export function watch(
  client: WebSocket,
  { url }: Target,
  { signal, reconnects }: { signal: AbortSignal; reconnects: boolean },
): Watched {
  const backlog = createBacklog(signal, (left) => {
    if (left < MOST_AHEAD / 2 && client.isPaused) client.resume();
  });
  let failure: NodeFailure | undefined;
  let isAnswered = true;
  let initiated_by: 'server' | 'client' | 'unknown' = 'unknown';
  // A server that is not being read cannot answer.
  const beat = setInterval(() => {
    if (client.isPaused) return;
    if (!isAnswered) {
      failure = new NodeFailure({ kind: 'upstream', message: `${url.host} no longer answers` });
      initiated_by = 'client';
      client.terminate();
      return;
    }
    isAnswered = false;
    client.ping();
  }, PING_EVERY_MS);
  client.on('pong', () => (isAnswered = true));
  client.on('message', (content, isBinary) => {
    isAnswered = true;
    const message = parseMessage(content as Buffer, isBinary);
    if (backlog.add({ name: 'onMessage', fields: { message } }) >= MOST_AHEAD) client.pause();
  });
  client.on('error', (error) => {
    failure ??= socketFailure(error, url);
    // Messages that the protocol does not allow are answered by closing; other errors are those of the network.
    if (String((error as { code?: unknown }).code).startsWith('WS_ERR_')) initiated_by = 'client';
  });
  client.on('close', (code, reason) => {
    clearInterval(beat);
    const said = reason.toString();
    if (code !== ABNORMAL && failure === undefined) initiated_by = 'server';
    failure ??= createCloseFailure(url, code, said);
    const close: JsonObject = {
      initiatedBy: initiated_by,
      code,
      reason: said,
      wasClean: code !== ABNORMAL,
      reconnecting: reconnects,
    };
    backlog.add({ name: 'onClosed', fields: { close }, failure });
  });
  client.resume();
  return { next: backlog.next };
}
