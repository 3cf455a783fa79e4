import { NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import { MessageLines } from '@millrace/nodes/message-lines';
import type { Egress } from '@millrace/nodes/runtime';
import { settleable } from '@millrace/nodes/settleable';
import { TUNNEL_WINDOW, type TunnelMessage, Tunnels, tunnelMessage } from '@millrace/nodes/tunnels';
import type { Dialogue } from './containers/containers.ts';

/** The program sends much shorter ones; what no line ends is kept until then. */
const LONGEST_MESSAGE = 2 * TUNNEL_WINDOW;
/** The most that all connections may transfer, in base64, with room for acknowledgements. */
const MOST_HEARD = 900 * MEGABYTE;
/** All connections together have less on its way to a program that reads. */
const MOST_UNREAD = 64 * MEGABYTE;
const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

interface Way {
  /** Text that begins the answer of the program, at the beginning of a line. */
  readonly marker: string;
  /** The guard that opens the connections. */
  readonly http: Pick<Egress, 'connect'>;
  readonly signal: AbortSignal;
}

/**
 * The connections of a script, whose container has no network (§8.4): until its answer, every line that the container writes is
 * a message about one of them. The script may have found a way to write such lines itself; all that it gains are connections
 * through the guard.
 */
export function scriptTunnels({ marker, http, signal }: Way) {
  return (write: (text: string) => Promise<void>, unread: () => number): Dialogue =>
    new ScriptTunnels({ marker, http, signal }, (text) => {
      if (unread() <= MOST_UNREAD) return write(text);
      throw ended('reads nothing');
    });
}

class ScriptTunnels implements Dialogue {
  readonly #marker: Buffer;
  readonly #tunnels: Tunnels;
  readonly #messages: MessageLines<TunnelMessage>;
  readonly #failed = settleable<never>();
  #heard = 0;
  /** The beginning of a line, as long as it may be that of the answer. */
  #begin: Buffer = NOTHING;
  /** Bytes of a line that is a message and has no end yet. */
  #length = 0;
  #isAnswering = false;
  #isOver = false;

  constructor({ marker, http, signal }: Way, write: (text: string) => Promise<void>) {
    this.#marker = Buffer.from(marker);
    // It may fail before anyone waits for it.
    this.#failed.promise.catch(() => undefined);
    this.#tunnels = new Tunnels({
      who: 'The script',
      http,
      signal,
      send: (message) => this.#send(write, `${JSON.stringify(message)}\n`),
      onLimit: (failure) => this.#fail(failure),
    });
    this.#messages = new MessageLines(
      tunnelMessage,
      (message) => this.#tunnels.hear(message),
      () => this.#fail(ended(INVALID)),
    );
  }

  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  take(data: Buffer): Buffer {
    if (this.#isAnswering) return data;
    if (this.#isOver) return NOTHING;
    this.#heard += data.length;
    if (this.#heard > MOST_HEARD) this.#fail(ended(`writes more than ${MOST_HEARD / MEGABYTE} MB`));
    let rest = data;
    while (rest.length > 0 && !this.#isOver) {
      if (this.#length === 0) {
        // Only a line that came in pieces is copied: a piece may hold thousands of lines.
        if (this.#begin.length > 0) rest = Buffer.concat([this.#begin, rest]);
        this.#begin = NOTHING;
        this.#isAnswering = rest.subarray(0, this.#marker.length).equals(this.#marker);
        if (this.#isAnswering) return rest;
        if (this.#mayBegin(rest)) {
          this.#begin = rest;
          break;
        }
      }
      rest = this.#takeMessage(rest);
    }
    return NOTHING;
  }

  /** Whether more bytes could make it the marker. */
  #mayBegin(bytes: Buffer): boolean {
    return bytes.equals(this.#marker.subarray(0, bytes.length));
  }

  /** Hands on what belongs to the line, and returns what follows. Pieces may be tiny, so none is copied to the others. */
  #takeMessage(data: Buffer): Buffer {
    const end = data.indexOf(NEWLINE) + 1;
    const piece = end === 0 ? data : data.subarray(0, end);
    this.#length = end === 0 ? this.#length + piece.length : 0;
    if (this.#length > LONGEST_MESSAGE) this.#fail(ended(INVALID));
    else this.#messages.take(piece);
    return data.subarray(piece.length);
  }

  close(): void {
    this.#isOver = true;
    this.#tunnels.close();
  }

  async #send(write: (text: string) => Promise<void>, text: string): Promise<void> {
    if (this.#isOver) return;
    try {
      await write(text);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failed.reject(error);
    this.close();
  }
}

const INVALID = 'writes something else than messages of its connections';

const ended = (why: string): NodeFailure =>
  new NodeFailure({ kind: 'thrown', message: `The script was ended, because its container ${why}` });
