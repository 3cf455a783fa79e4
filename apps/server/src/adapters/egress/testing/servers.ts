import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import type { EgressRequest } from '@millrace/nodes/runtime';
import { afterEach } from 'vitest';
import { type ClosableEgress, createEgress, type EgressOptions } from '../egress.ts';
import { certificateKey } from './certificates.ts';

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Real HTTP server on a free port of the loopback interface, closed behind the test. */
export async function serve(listener: RequestListener): Promise<{ url: string; port: number }> {
  return listen(createServer(listener));
}

/** Like `serve`, over TLS with the given certificate. */
export async function serveTls(
  cert: string,
  listener: RequestListener,
): Promise<{ url: string; port: number }> {
  return listen(createTlsServer({ cert, key: certificateKey }, listener));
}

/** Server that speaks bytes, for answers that no HTTP server would give. */
export async function serveBytes(onConnection: (socket: Socket) => void) {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => onConnection(socket));
  });
  return listen(server);
}

async function listen(server: Server | TcpServer): Promise<{ url: string; port: number }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

/** Client under test; private addresses are allowed unless said otherwise, because the servers are local. */
export function egress(options: Partial<EgressOptions> = {}): ClosableEgress & { warnings: string[] } {
  const warnings: string[] = [];
  const client = createEgress({
    allow_private: true,
    log: { warn: (fields) => void warnings.push(JSON.stringify(fields)) },
    ...options,
  });
  cleanups.push(() => void client.close());
  return { ...client, warnings };
}

/** Client that may reach this machine under one name, with the number of times that the name was looked up. */
export function egressToName(name: string) {
  const local: LookupAddress = { address: '127.0.0.1', family: 4 };
  let lookups = 0;
  const client = egress({
    allow_private: false,
    allow_hosts: [name],
    resolve: () => {
      lookups++;
      return Promise.resolve([local]);
    },
  });
  return { ...client, lookups: () => lookups };
}

export function get(url: string, changes: Partial<EgressRequest> = {}): EgressRequest {
  return {
    method: 'GET',
    url,
    headers: [],
    timeout_ms: 5000,
    max_response_bytes: 1024 * 1024,
    follow_redirects: false,
    signal: new AbortController().signal,
    ...changes,
  };
}

export async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Sends, reads to the end, and returns the failure that this must give. */
export async function catchFailure(client: ClosableEgress, request: EgressRequest) {
  try {
    await text((await client.request(request)).body);
  } catch (error) {
    return (error as { failure?: { kind: string; message: string; final?: boolean } }).failure;
  }
  throw new Error('expected the request to fail');
}
