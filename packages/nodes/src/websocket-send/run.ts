import { isJsonObject, NodeFailure } from '@millrace/engine';
import type { WebSocket } from 'ws';
import { implement } from '../implement.ts';
import { bytesOfBase64 } from '../kit/files/base64.ts';
import { MOST_BYTES, openWebSocket, socketFailure } from '../kit/network/websocket/open.ts';
import { buildTarget } from '../kit/network/websocket/target.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { parsedJson } from '../kit/text/parsed-json.ts';
import { websocketSend } from './definition.ts';

const NORMAL_CLOSURE = 1000;
/** Normal, going away, and without a code (RFC 6455 section 7.4.1): the server had no objection. */
const ACCEPTED = new Set([NORMAL_CLOSURE, 1001, 1005]);
/** How long the server has to close its side (RFC 6455 section 7.1.1) before the connection is cut. */
const CLOSE_TIMEOUT_MS = 5_000;

interface Outgoing {
  readonly content: string | Buffer;
  readonly message_type: 'text' | 'json' | 'binary';
  readonly size_bytes: number;
}

function buildOutgoing(message: string, type: 'text' | 'binary'): Outgoing {
  const content = type === 'binary' ? bytesOfBase64(message, 'websocketMessage') : message;
  const size_bytes = Buffer.byteLength(content);
  if (size_bytes > MOST_BYTES)
    throw refusedParam('websocketMessage', `has ${size_bytes} bytes; ${MOST_BYTES} is the most that is sent`);
  if (type === 'binary') return { content, message_type: 'binary', size_bytes };
  const value = parsedJson(message);
  const isJson = isJsonObject(value) || Array.isArray(value);
  return { content, message_type: isJson ? 'json' : 'text', size_bytes };
}

/**
 * Resolves when the server has closed its side: everything before it has arrived there (RFC 6455 section 5.5.1). One that
 * leaves the connection open is not waited for.
 */
function sendAndClose(
  client: WebSocket,
  { content }: Outgoing,
  { url, signal }: { url: URL; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(signal.reason as Error);
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    let [isSent, isLate] = [false, false];
    const late = setTimeout(() => {
      isLate = true;
      client.terminate();
    }, CLOSE_TIMEOUT_MS);
    client.on('error', (error) => reject(socketFailure(error, url)));
    client.on('close', (code, reason) => {
      clearTimeout(late);
      signal.removeEventListener('abort', cancel);
      if (isSent && (isLate || ACCEPTED.has(code))) resolve();
      else reject(closedBy(url, code, reason.toString()));
    });
    client.resume();
    client.send(content, (error) => {
      if (error) return;
      isSent = true;
      client.close(NORMAL_CLOSURE);
    });
  });
}

function closedBy({ host }: URL, code: number, reason: string): NodeFailure {
  const words = reason === '' ? '' : `: ${reason}`;
  return new NodeFailure({
    kind: 'upstream',
    message: `${host} closed the connection with code ${code}${words}`,
  });
}

export const runWebsocketSend = implement(websocketSend, async ({ params, services, signal }) => {
  const target = buildTarget(params);
  const outgoing = buildOutgoing(params.websocketMessage, params.websocketMessageType);
  const client = await openWebSocket({ http: services.http, signal }, target);
  try {
    await sendAndClose(client, outgoing, { url: target.url, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = 'The run was cancelled while a message was being sent';
    throw new NodeFailure({ kind: 'cancelled', message }, { cause: error });
  } finally {
    client.terminate();
  }
  return {
    output: {
      status: 'sent',
      url: target.url.href,
      message_type: outgoing.message_type,
      size_bytes: outgoing.size_bytes,
      subprotocol: client.protocol === '' ? null : client.protocol,
      sent_at: new Date(services.now()).toISOString(),
    },
  };
});
