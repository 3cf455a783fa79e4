import { once } from 'node:events';
import { type AddressInfo, createServer, connect as openSocket } from 'node:net';
import { describe } from 'vitest';
import { connections } from '../../runtime.ts';
import type { Egress } from '../../services.ts';
import { TEST_NOW } from '../fake-services.ts';
import { realEgress } from '../real-egress.ts';

const TIMEOUT_MS = 2_000;

/** Whether something accepts connections there. */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = openSocket({ host: '127.0.0.1', port, timeout: TIMEOUT_MS });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
}

/** A suite that needs a real server; skipped by name where there is none, but not in CI. */
export function describeOn(server: string, isThere: boolean, suite: () => void): void {
  const may_skip = process.env['CI'] !== 'true';
  describe.skipIf(!isThere && may_skip)(`against a real server (${server})`, () => {
    suite();
  });
}

/** The answer of the connection test of a type of credential: `works`, or its failure. */
export function testConnection(
  type: string,
  config: Readonly<Record<string, string | number | boolean>>,
  { http = realEgress(), signal = AbortSignal.timeout(10_000) }: { http?: Egress; signal?: AbortSignal } = {},
): Promise<string> {
  const connection = connections.get(type);
  if (!connection) throw new Error(`no connection test of ${type}`);
  const caller = {
    http,
    now: () => TEST_NOW,
    sleepUntil: () => Promise.resolve(),
    signal,
    max_wait_ms: 0,
    idempotency_key: '',
  };
  return connection({ caller, config }).then(
    () => 'works',
    (error: Error) => error.message,
  );
}

/** A proxy in front of a real server that drops what contains the word. Resolves to its port. */
export async function droppingProxy(port: number, word: string): Promise<{ port: number; close(): void }> {
  const server = createServer((socket) => {
    const to = openSocket(port, '127.0.0.1');
    for (const end of [socket, to]) end.on('error', () => to.destroy());
    socket.on('close', () => to.destroy());
    to.pipe(socket);
    socket.on('data', (sent: Buffer) => {
      if (!sent.includes(word)) to.write(sent);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
