import { NodeFailure, readText } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { WebSocket } from 'ws';
import type { Egress } from '../../../services.ts';
import type { Target } from './target.ts';

/** Largest message that is read or sent, after which the connection is closed (close code 1009). */
export const MOST_BYTES = 16 * MEGABYTE;
const CONNECT_TIMEOUT_MS = 10_000;
const HANDSHAKE_TIMEOUT_MS = 15_000;

interface Caller {
  readonly http: Egress;
  readonly signal: AbortSignal;
}

/** The properties that the library adds to its errors. */
interface SocketError extends Error {
  readonly code?: unknown;
}

const refused = (message: string, cause?: unknown) =>
  new NodeFailure({ kind: 'upstream', message }, cause === undefined ? {} : { cause });

/** A failure in plain words; messages of the network stack are not repeated, for they name resolved addresses. */
export function socketFailure(error: unknown, { host }: URL): NodeFailure {
  if (error instanceof NodeFailure) return error;
  const { code, message } = error as SocketError;
  const text = readText(message);
  const status = /^Unexpected server response: (\d+)$/.exec(text)?.[1];
  if (status !== undefined) return refused(`${host} refused the connection with status ${status}`, error);
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
    return refused(`${host} sent a message larger than ${MOST_BYTES} bytes`, error);
  if (/subprotocol/i.test(text))
    return refused(`${host} does not speak the subprotocol that was asked for`, error);
  if (/timed out/i.test(text)) return refused(`${host} did not answer the handshake in time`, error);
  if (typeof code === 'string' && code.startsWith('WS_ERR_'))
    return refused(`${host} sent something that is not a WebSocket message (${code})`, error);
  if (/^Invalid|Sec-WebSocket|Upgrade/i.test(text))
    return refused(`${host} answered, but not as a WebSocket server`, error);
  if (typeof code === 'string' && /^[A-Z][A-Z_]+$/.test(code))
    return refused(`${host} ended the connection (${code})`, error);
  return refused(`${host} ended the connection`, error);
}

/**
 * Connects through the guard and shakes hands (RFC 6455 section 4.1). The connection is paused until the caller resumes it, and
 * ends when the signal aborts.
 */
export async function openWebSocket({ http, signal }: Caller, target: Target): Promise<WebSocket> {
  const { url, headers, subprotocols } = target;
  const tls = url.protocol === 'wss:';
  const socket = await http.connect({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (tls ? 443 : 80)),
    tls,
    timeout_ms: CONNECT_TIMEOUT_MS,
    signal,
  });
  try {
    const { WebSocket: Client } = await import('ws');
    const client = new Client(url, [...subprotocols], {
      headers,
      // The guarded connection, with TLS already where it is wanted; the library makes none of its own.
      createConnection: () => socket,
      followRedirects: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MOST_BYTES,
      perMessageDeflate: false,
    });
    await new Promise<void>((resolve, reject) => {
      client.once('open', () => {
        // Nothing is lost until the caller listens.
        client.pause();
        resolve();
      });
      client.once('error', reject);
    });
    return client;
  } catch (error) {
    socket.destroy();
    throw socketFailure(error, url);
  }
}
