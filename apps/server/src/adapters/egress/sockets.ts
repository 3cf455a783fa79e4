import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { SocketRequest } from '@millrace/nodes/runtime';
import {
  type DestinationRules,
  guardedLookup,
  type Resolve,
  requireHost,
  resolveGuarded,
} from './destination.ts';
import { cancelled, egressFailure, noConnection } from './failures.ts';

export interface SocketClient {
  readonly rules: DestinationRules;
  readonly resolve: Resolve;
  /** PEM of the trusted certificate authorities; absent: those of Node. */
  readonly ca: string | undefined;
}

/**
 * A connection for a protocol other than HTTP, to an address that passes the same guard as HTTP calls: private
 * addresses are refused by their text and again by what the name resolves to at the moment of connecting, and the
 * checked address is the one that is connected to.
 */
export async function openSocket(client: SocketClient, request: SocketRequest): Promise<Socket> {
  const { signal, timeout_ms } = request;
  const host = requireHost(request.host, client.rules);
  const exchange = { host: `${host}:${request.port}`, timeout_ms };
  if (signal.aborted) throw cancelled();
  const plain = connect({
    host,
    port: request.port,
    lookup: guardedLookup(client.resolve, client.rules),
    autoSelectFamily: true,
  });
  const socket = request.tls ? encrypted(plain, host, client.ca) : plain;
  // An error before the protocol listens must not end the process; the protocol sees the close.
  for (const part of new Set([plain, socket])) part.on('error', () => undefined);
  try {
    await ready(
      { plain, socket, event: request.tls ? 'secureConnect' : 'connect' },
      () => noConnection(exchange),
      request,
    );
  } catch (error) {
    plain.destroy();
    throw egressFailure(error, exchange);
  }
  endWith(signal, socket);
  return socket;
}

/** The addresses of a host, after the same guard. Resolving a name takes as long as the signal allows. */
export async function checkedAddresses(
  { rules, resolve }: SocketClient,
  text: string,
  signal: AbortSignal,
): Promise<string[]> {
  const host = requireHost(text, rules);
  if (isIP(host) !== 0) return [host];
  const exchange = { host, timeout_ms: 0 };
  try {
    const found = await unlessAborted(resolveGuarded(host, resolve, rules), signal);
    return found.all.map(({ address }) => address);
  } catch (error) {
    throw egressFailure(error, exchange);
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(cancelled());
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function encrypted(socket: Socket, host: string, ca: string | undefined): TLSSocket {
  // A literal address has no server name (RFC 6066 section 3); the certificate is checked against `host` either way.
  const names = isIP(host) === 0 ? { servername: host } : { host };
  return connectTls({ socket, ...names, ...(ca === undefined ? {} : { ca }) });
}

interface Opening {
  readonly plain: Socket;
  readonly socket: Socket;
  readonly event: 'connect' | 'secureConnect';
}

/** Resolves when the connection can be used; rejects on its error, its end, the deadline and a cancelled run. */
function ready(
  { plain, socket, event }: Opening,
  tooLate: () => Error,
  { signal, timeout_ms }: SocketRequest,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(tooLate()), timeout_ms);
    const onAbort = () => settle(cancelled());
    const onClose = () => settle(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    const onReady = () => settle();
    function settle(error?: Error): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      for (const part of [plain, socket]) part.off('error', settle).off('close', onClose);
      socket.off(event, onReady);
      if (error) reject(error);
      else resolve();
    }
    signal.addEventListener('abort', onAbort, { once: true });
    for (const part of [plain, socket]) part.on('error', settle).on('close', onClose);
    socket.on(event, onReady);
  });
}

/** A cancelled run leaves no connection open. */
function endWith(signal: AbortSignal, socket: Socket): void {
  const onAbort = () => socket.destroy(cancelled());
  signal.addEventListener('abort', onAbort, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', onAbort));
}
