import type { Socket } from 'node:net';
import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { settleable } from '../kit/settleable.ts';
import { MEGABYTE } from '../kit/units.ts';
import type { Egress } from '../services.ts';
import type { TunnelMessage } from './messages.ts';

/** As in the program: bytes of a connection that are under way in one direction. */
const WINDOW = 256 * 1024;
const CONNECT_MS = 30_000;
const MOST_TUNNELS = 100;
const MOST_TRAFFIC = 500 * MEGABYTE;
const MOST_REFUSALS = 200;

interface Outlet {
  /** To the program. */
  send(message: JsonObject): Promise<void>;
  /** More was transferred than may be. */
  onLimit(failure: NodeFailure): void;
  readonly http: Pick<Egress, 'connect'>;
  readonly signal: AbortSignal;
}

/** A connection of the browser. */
interface Tunnel {
  socket: Socket | undefined;
  isClosed: boolean;
  /** Bytes to the program that it has not taken yet. */
  sent: number;
  /** Bytes from the program that the other end has not taken yet. */
  received: number;
  taken: ReturnType<typeof settleable<void>> | undefined;
}

/** The connections of a browser, which has no network: each is opened here, through the guard that every node has. */
export class Tunnels {
  readonly #outlet: Outlet;
  readonly #open = new Map<number, Tunnel>();
  readonly #refusals = new Map<string, string>();
  #traffic = 0;

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  /** Why the last connection to a host was refused. */
  refusalOf(host: string): string | undefined {
    return this.#refusals.get(host);
  }

  hear(message: TunnelMessage): void {
    if (message.type === 'connect') return void this.#connect(message);
    const tunnel = this.#open.get(message.id);
    if (!tunnel) return;
    switch (message.type) {
      case 'data':
        return this.#write(message.id, tunnel, Buffer.from(message.data, 'base64'));
      case 'finish':
        return void tunnel.socket?.end();
      case 'close':
        return this.#close(message.id);
      case 'ack':
        tunnel.sent = Math.max(0, tunnel.sent - message.size);
        if (tunnel.sent < WINDOW) tunnel.taken?.resolve();
        return;
      default:
        return message satisfies never;
    }
  }

  close(): void {
    for (const id of this.#open.keys()) this.#close(id);
  }

  async #connect({ id, host, port }: TunnelMessage & { type: 'connect' }): Promise<void> {
    if (this.#open.has(id)) return;
    const { http, signal } = this.#outlet;
    const tunnel: Tunnel = { socket: undefined, isClosed: false, sent: 0, received: 0, taken: undefined };
    if (this.#open.size >= MOST_TUNNELS) return this.#tell(id, 'close', { error: 'too many connections' });
    this.#open.set(id, tunnel);
    try {
      const socket = await http.connect({ host, port, tls: false, timeout_ms: CONNECT_MS, signal });
      if (tunnel.isClosed) return void socket.destroy();
      tunnel.socket = socket;
      this.#tell(id, 'opened');
      await this.#pass(id, tunnel, socket);
    } catch (error) {
      const message = error instanceof NodeFailure ? error.failure.message : 'the connection broke off';
      if (!tunnel.socket && this.#refusals.size < MOST_REFUSALS) this.#refusals.set(host, message);
      this.#drop(id);
    }
  }

  /** What the other end sends, no faster than the program takes it. The program closes what has ended. */
  async #pass(id: number, tunnel: Tunnel, socket: Socket): Promise<void> {
    for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      tunnel.sent += chunk.length;
      this.#count(chunk.length);
      await this.#outlet.send({ type: 'data', id, data: chunk.toString('base64') });
      if (tunnel.isClosed) return;
      if (tunnel.sent < WINDOW) continue;
      tunnel.taken = settleable<void>();
      await tunnel.taken.promise;
      tunnel.taken = undefined;
    }
    if (!tunnel.isClosed) this.#tell(id, 'finish');
  }

  #write(id: number, tunnel: Tunnel, bytes: Buffer): void {
    const { socket } = tunnel;
    tunnel.received += bytes.length;
    // The program waits for acknowledgements; what does not is no program of ours.
    if (!socket || tunnel.received > 2 * WINDOW) return this.#drop(id);
    this.#count(bytes.length);
    socket.write(bytes, () => {
      tunnel.received -= bytes.length;
      if (!tunnel.isClosed) this.#tell(id, 'ack', { size: bytes.length });
    });
  }

  #count(size: number): void {
    this.#traffic += size;
    if (this.#traffic <= MOST_TRAFFIC) return;
    const message = `The pages transferred more than ${MOST_TRAFFIC / MEGABYTE} MB`;
    this.#outlet.onLimit(new NodeFailure({ kind: 'limit', message }));
  }

  /** Closes a connection and tells the program. */
  #drop(id: number): void {
    if (this.#open.has(id)) this.#tell(id, 'close', { error: 'closed' });
    this.#close(id);
  }

  #close(id: number): void {
    const tunnel = this.#open.get(id);
    if (!tunnel) return;
    this.#open.delete(id);
    tunnel.isClosed = true;
    tunnel.taken?.resolve();
    tunnel.socket?.destroy();
  }

  #tell(id: number, type: string, more: { readonly [key: string]: Json } = {}): void {
    void this.#outlet.send({ type, id, ...more });
  }
}
