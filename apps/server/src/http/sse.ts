import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** One frame of a stream. */
export interface SseFrame {
  /** Position in the stream; a client that comes back sends the last one that it saw. */
  readonly id?: string;
  /** Name of the event; absent: `message`, as readers take it. */
  readonly event?: string;
  /** JSON text in one line; as a function it is made when the reader has room for it. */
  readonly data: string | (() => string);
  /** Progress that a slow reader may miss, `first` before all other. Results and the end never are. */
  readonly droppable?: boolean | 'first';
}

export interface SseWriter {
  send(frame: SseFrame): void;
  /** Ends the stream once everything sent so far is written. */
  end(): void;
  /** The same before the stream has ended: asks the reader to reconnect soon and continue where it is. */
  leave(): void;
  /** Called once: when the client went away, was too slow, or the stream ended. */
  onClose(listener: () => void): void;
  readonly is_open: boolean;
}

export interface SseOptions {
  readonly heartbeat_ms?: number;
  /** A client that takes nothing for so long is let go; it may come back with its last id. */
  readonly stall_ms?: number;
  /** Frames that wait before progress is shed. */
  readonly max_frames?: number;
}

const DEFAULTS: Required<SseOptions> = { heartbeat_ms: 15_000, stall_ms: 10_000, max_frames: 256 };

/** Characters handed to the socket at once, so that a reader who takes a long frame bit by bit is seen to take something. */
const PIECE_CHARACTERS = 256 * 1024;
/** When a reader that was asked to reconnect does so. */
const RETRY_MS = 1_000;

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  // Proxies that collect answers would hold frames back.
  'X-Accel-Buffering': 'no',
};

/**
 * Named, because Node would add for how long: clients that go by that keep the connection of a stream that has ended, and a
 * server that closes waits for it. A client that asked for its end gets that.
 */
const keepOpen = ({ raw }: FastifyReply): Record<string, string> =>
  raw.shouldKeepAlive ? { Connection: 'keep-alive' } : {};

function frameText({ id, event, data }: SseFrame): string {
  const text = typeof data === 'string' ? data : data();
  const named = event === undefined ? '' : `event: ${event}\n`;
  return id === undefined ? `${named}data: ${text}\n\n` : `id: ${id}\n${named}data: ${text}\n\n`;
}

/** End of the piece that begins there; never between the two halves of a character. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/**
 * Writes frames to one response as fast as its reader takes them. Frames that wait are not text yet: they share their
 * values with the run, so a reader that is behind costs little more than one frame.
 */
class ResponseWriter implements SseWriter {
  private readonly response: ServerResponse;
  private readonly limits: Required<SseOptions>;
  private readonly heartbeat: NodeJS.Timeout;
  private readonly listeners: (() => void)[] = [];
  private waiting: (SseFrame | string)[] = [];
  /** The text that is being written, and how much of it has been. */
  private text = '';
  private written = 0;
  private stall: NodeJS.Timeout | undefined;
  private blocked = false;
  private scheduled = false;
  private ending = false;
  private closed = false;

  constructor(response: ServerResponse, limits: Required<SseOptions>) {
    this.response = response;
    this.limits = limits;
    this.heartbeat = setInterval(() => this.beat(), limits.heartbeat_ms);
    this.heartbeat.unref();
    response.on('drain', () => this.resume());
    response.on('close', () => this.close());
    response.on('error', () => this.close());
    // There is no event for a client that left before this.
    if (response.destroyed) {
      this.close();
      return;
    }
    response.cork();
    response.flushHeaders();
    this.schedule();
  }

  get is_open(): boolean {
    return !this.closed && !this.ending;
  }

  onClose(listener: () => void): void {
    if (this.closed) listener();
    else this.listeners.push(listener);
  }

  send(frame: SseFrame): void {
    if (!this.is_open) return;
    this.waiting.push(frame);
    this.schedule();
    if (this.blocked) this.shed();
  }

  private shed(): void {
    for (const kind of ['first', true] as const) {
      if (this.waiting.length <= this.limits.max_frames) return;
      this.waiting = this.waiting.filter((frame) => typeof frame === 'string' || frame.droppable !== kind);
    }
  }

  end(): void {
    if (!this.is_open) return;
    this.ending = true;
    this.schedule();
  }

  leave(): void {
    if (!this.is_open) return;
    // Not a frame of the run: a comment and the field with the time after which clients reconnect.
    this.waiting.push(`: this server is stopping, the run continues\nretry: ${RETRY_MS}\n\n`);
    this.end();
  }

  /**
   * Everything that is sent in one go leaves in one piece, the first with the headers: a run of pure nodes makes its
   * frames at once.
   */
  private schedule(): void {
    if (this.scheduled || this.blocked) return;
    this.scheduled = true;
    process.nextTick(() => {
      this.scheduled = false;
      this.pump();
      this.response.uncork();
    });
  }

  private pump(): void {
    while (!this.blocked && !this.closed) {
      if (this.written === this.text.length && !this.next()) return;
      const end = pieceEnd(this.text, this.written);
      const piece = this.text.slice(this.written, end);
      this.written = end;
      this.write(piece);
    }
  }

  /** Turns the next frames into text; false when there are none. */
  private next(): boolean {
    let text = '';
    while (text.length < PIECE_CHARACTERS) {
      const frame = this.waiting.shift();
      if (frame === undefined) break;
      text += typeof frame === 'string' ? frame : frameText(frame);
    }
    this.text = text;
    this.written = 0;
    if (text === '' && this.ending) this.response.end();
    return text !== '';
  }

  private write(text: string): void {
    if (this.response.write(text)) return;
    this.blocked = true;
    this.stall = setTimeout(() => this.abandon(), this.limits.stall_ms);
    this.stall.unref();
  }

  private resume(): void {
    clearTimeout(this.stall);
    this.blocked = false;
    this.pump();
  }

  /** Keeps proxies from closing a quiet stream. A blocked one is not quiet. */
  private beat(): void {
    if (this.is_open && !this.blocked) this.write(': ping\n\n');
  }

  private abandon(): void {
    this.response.destroy();
    this.close();
  }

  private close(): void {
    if (this.closed) return;
    this.closed = true;
    this.waiting = [];
    this.text = '';
    this.written = 0;
    clearInterval(this.heartbeat);
    clearTimeout(this.stall);
    for (const listener of this.listeners) listener();
  }
}

/** Turns an answer into an event stream. From here on the handler must not answer in any other way. */
export function openEventStream(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>> = {},
  options: SseOptions = {},
): SseWriter {
  // Through the answer, which knows a header by its name in any case: a plain merge would send some of them twice.
  reply.headers({ ...HEADERS, ...keepOpen(reply), ...headers });
  reply.hijack();
  reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
  return new ResponseWriter(reply.raw, { ...DEFAULTS, ...options });
}
