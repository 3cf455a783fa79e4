import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { MEGABYTE } from '@millrace/engine/units';
import type { FastifyInstance } from 'fastify';
import { hasBody } from './read-body.ts';

export interface LingerOptions {
  /** Longest time that an answered connection is still read. */
  readonly linger_ms?: number;
  /** How much of it is read and thrown away. */
  readonly linger_bytes?: number;
}

const LINGER_MS = 10_000;
const LINGER_BYTES = 512 * MEGABYTE;
const LOOK_EVERY_MS = 50;

/**
 * Ends our half of the connection once the answer is written, and reads on until the client has sent everything: closing
 * both halves over unread bytes resets the connection, and the answer is lost with it (RFC 9112 section 9.6).
 */
function linger(
  raw: IncomingMessage,
  { linger_ms = LINGER_MS, linger_bytes = LINGER_BYTES }: LingerOptions,
): void {
  const { socket } = raw;
  // Requests that tests inject have no connection.
  if (!(socket instanceof Socket)) return;
  // Node calls this behind the last answer of a connection.
  socket.destroySoon = () => {
    socket.end();
    const most = socket.bytesRead + linger_bytes;
    const deadline = performance.now() + linger_ms;
    const timer = setInterval(() => {
      if (raw.complete || socket.bytesRead > most || performance.now() > deadline) socket.destroy();
    }, LOOK_EVERY_MS);
    timer.unref();
    socket.once('close', () => clearInterval(timer));
    raw.resume();
  };
}

/** Refusals that come while the body is still on its way reach clients that send all of it before they read. */
export function installLingeringClose(app: FastifyInstance, options: LingerOptions = {}): void {
  app.addHook('onSend', (request, reply, payload, next) => {
    const { raw } = request;
    if (reply.statusCode >= 400 && !raw.complete && hasBody(raw)) {
      reply.header('Connection', 'close');
      linger(raw, options);
    }
    next(null, payload);
  });
}
