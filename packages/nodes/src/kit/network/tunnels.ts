import type { Socket } from 'node:net';
import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import { z } from 'zod';
import type { Egress } from '../../services.ts';
import { settleable } from '../values/settleable.ts';

const id = z.int().min(1);

/** A message of the program in a container about a connection; the service has the same words, and `opened`. */
export const tunnelMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('connect'),
    id,
    host: z.string().min(1).max(255),
    port: z.int().min(1).max(65_535),
  }),
  /** Bytes in base64. */
  z.object({ type: z.literal('data'), id, data: z.string() }),
  z.object({ type: z.literal('finish'), id }),
  z.object({ type: z.literal('close'), id }),
  /** How many bytes were taken, so that as many may follow. */
  z.object({ type: z.literal('ack'), id, size: z.int().min(0) }),
]);

export type TunnelMessage = z.output<typeof tunnelMessage>;

/** Bytes of a connection that are under way in one direction; the programs in the containers know it, too. */
export const TUNNEL_WINDOW = 256 * 1024;
const CONNECT_MS = 30_000;
const MOST_TUNNELS = 100;
const MOST_TRAFFIC = 500 * MEGABYTE;
const MOST_REFUSALS = 200;

interface Outlet {
  /** Who connects, for people: "The pages". */
  readonly who: string;
  /** To the program. */
  send(message: JsonObject): Promise<void>;
  /** More was transferred than may be. */
  onLimit(failure: NodeFailure): void;
  readonly http: Pick<Egress, 'connect'>;
  readonly signal: AbortSignal;
}

/** A connection of the program. */
interface Tunnel {
  socket: Socket | undefined;
  /** Ends the connection, also one that is still being opened. */
  readonly end: AbortController;
  /** Bytes to the program that it has not taken yet. */
  sent: number;
  /** Bytes from the program that the other end has not taken yet. */
  received: number;
  taken: ReturnType<typeof settleable<void>> | undefined;
}

/**
 * The connections of a container without a network (§8.4): each is opened here, through the guard that every node has. At most
 * 100 at once and 500 MB in all, and no more of each under way than `TUNNEL_WINDOW`.
 */
export class Tunnels {
  readonly #outlet: Outlet;
  readonly #open = new Map<number, Tunnel>();
  readonly #refusals = new Map<string, string>();
  #traffic = 0;
  #isOver = false;

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  /** Why the last connection to a host was refused. */
  findRefusal(host: string): string | undefined {
    return this.#refusals.get(host);
  }

  hear(message: TunnelMessage): void {
    if (this.#isOver) return;
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
        if (tunnel.sent < TUNNEL_WINDOW) tunnel.taken?.resolve();
        return;
      default:
        return message satisfies never;
    }
  }

  /** Ends all connections; nothing is heard any more. */
  close(): void {
    this.#isOver = true;
    for (const id of this.#open.keys()) this.#close(id);
  }

  async #connect({ id, host, port }: TunnelMessage & { type: 'connect' }): Promise<void> {
    if (this.#open.has(id)) return;
    const { http, signal } = this.#outlet;
    if (this.#open.size >= MOST_TUNNELS) {
      return this.#tell(id, 'close', { error: `more than ${MOST_TUNNELS} connections at once` });
    }
    const end = new AbortController();
    const tunnel: Tunnel = { socket: undefined, end, sent: 0, received: 0, taken: undefined };
    this.#open.set(id, tunnel);
    try {
      const socket = await http.connect({
        host,
        port,
        tls: false,
        timeout_ms: CONNECT_MS,
        signal: AbortSignal.any([signal, end.signal]),
      });
      if (end.signal.aborted) return void socket.destroy();
      tunnel.socket = socket;
      this.#tell(id, 'opened');
      await this.#pass(id, tunnel, socket);
    } catch (error) {
      const message = error instanceof NodeFailure ? error.failure.message : 'the connection broke off';
      const isRefused = !tunnel.socket && !end.signal.aborted;
      if (isRefused && this.#refusals.size < MOST_REFUSALS) this.#refusals.set(host, message);
      if (!end.signal.aborted) this.#drop(id, message);
    }
  }

  /** Passes on the data that the other end sends, no faster than the program takes it. The program closes what has ended. */
  async #pass(id: number, tunnel: Tunnel, socket: Socket): Promise<void> {
    for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      tunnel.sent += chunk.length;
      this.#count(chunk.length);
      await this.#outlet.send({ type: 'data', id, data: chunk.toString('base64') });
      if (tunnel.end.signal.aborted) return;
      if (tunnel.sent < TUNNEL_WINDOW) continue;
      tunnel.taken = settleable<void>();
      await tunnel.taken.promise;
      tunnel.taken = undefined;
    }
    if (!tunnel.end.signal.aborted) this.#tell(id, 'finish');
  }

  #write(id: number, tunnel: Tunnel, bytes: Buffer): void {
    const { socket } = tunnel;
    tunnel.received += bytes.length;
    // The program waits for acknowledgements; what does not is no program of ours.
    if (!socket || tunnel.received > 2 * TUNNEL_WINDOW) return this.#drop(id, 'the connection broke off');
    this.#count(bytes.length);
    socket.write(bytes, () => {
      tunnel.received -= bytes.length;
      if (!tunnel.end.signal.aborted) this.#tell(id, 'ack', { size: bytes.length });
    });
  }

  #count(size: number): void {
    this.#traffic += size;
    if (this.#traffic <= MOST_TRAFFIC) return;
    const message = `${this.#outlet.who} transferred more than ${MOST_TRAFFIC / MEGABYTE} MB`;
    this.#outlet.onLimit(new NodeFailure({ kind: 'limit', message }));
  }

  /** Closes a connection and tells the program why. */
  #drop(id: number, error: string): void {
    if (this.#open.has(id)) this.#tell(id, 'close', { error });
    this.#close(id);
  }

  #close(id: number): void {
    const tunnel = this.#open.get(id);
    if (!tunnel) return;
    this.#open.delete(id);
    tunnel.end.abort();
    tunnel.taken?.resolve();
    tunnel.socket?.destroy();
  }

  #tell(id: number, type: string, more: { readonly [key: string]: Json } = {}): void {
    void this.#outlet.send({ type, id, ...more });
  }
}
