import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { certificate, certificateKey } from './tls.ts';

/** A real WebSocket server on this machine. */
export interface WebsocketTestServer {
  readonly url: string;
  /** Connections that are open now. */
  readonly open: ReadonlySet<WebSocket>;
  /** Handshakes in their order. */
  readonly handshakes: readonly IncomingMessage[];
  /** Messages in their order; bytes as a buffer, text as text. */
  readonly received: readonly (string | Buffer)[];
  /** Sends to all that are connected. */
  send(message: string | Buffer): void;
  stop(): Promise<void>;
}

interface ServerOptions {
  readonly tls?: boolean;
  /** Status of a refused handshake; undefined: accepted. */
  readonly refuse?: (request: IncomingMessage) => number | undefined;
  readonly onConnection?: (socket: WebSocket) => void;
}

export async function startWebsocketServer(options: ServerOptions = {}): Promise<WebsocketTestServer> {
  const http = options.tls ? createTlsServer({ cert: certificate, key: certificateKey }) : createServer();
  const server = new WebSocketServer({ noServer: true });
  const open = new Set<WebSocket>();
  const handshakes: IncomingMessage[] = [];
  const received: (string | Buffer)[] = [];
  http.on('upgrade', (request: IncomingMessage, socket, head) => {
    handshakes.push(request);
    const status = options.refuse?.(request);
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    server.handleUpgrade(request, socket, head, (client) => {
      open.add(client);
      client.on('close', () => open.delete(client));
      client.on('error', () => undefined);
      client.on('message', (content: Buffer, isBinary) => {
        received.push(isBinary ? content : content.toString());
      });
      options.onConnection?.(client);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: options.tls ? `wss://tls.example:${port}/events` : `ws://127.0.0.1:${port}/events`,
    open,
    handshakes,
    received,
    send(message) {
      for (const client of open) client.send(message);
    },
    async stop() {
      for (const client of open) client.terminate();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
