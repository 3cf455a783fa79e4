export type Channel = 'result' | 'logs';

const HEADER = 8;

/**
 * Splits the stream of an attached container into its two channels. Frames of the Docker Engine API, "Attach to a container":
 * a byte for the channel (2 is stderr), three zeros, the length in four bytes, the data.
 */
export class Frames {
  readonly #header = Buffer.alloc(HEADER);
  #known = 0;
  #left = 0;

  /** Calls back for each piece of data in order; pieces are parts of the chunk, and end where it ends. */
  take(chunk: Buffer, onData: (channel: Channel, data: Buffer) => void): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#left === 0) {
        const count = Math.min(HEADER - this.#known, chunk.length - at);
        chunk.copy(this.#header, this.#known, at, at + count);
        at += count;
        this.#known += count;
        if (this.#known < HEADER) return;
        this.#known = 0;
        this.#left = this.#header.readUInt32BE(4);
        continue;
      }
      const data = chunk.subarray(at, at + this.#left);
      at += data.length;
      this.#left -= data.length;
      onData(this.#header[0] === 2 ? 'logs' : 'result', data);
    }
  }
}

/** Keeps what a container writes and says when it is too much. */
export class Output {
  readonly #chunks: { result: Buffer[]; logs: Buffer[] } = { result: [], logs: [] };
  readonly #sizes = { result: 0, logs: 0 };
  readonly #limits: { result: number; readonly logs: number };
  readonly #frames = new Frames();
  #divert = (data: Buffer): Buffer => data;
  /** The channel that is too long; the rest of it is not kept. */
  exceeded: Channel | undefined;

  constructor(limits: { readonly result: number; readonly logs: number }) {
    this.#limits = { ...limits };
  }

  /** Changes how long the result may be. */
  allowResult(size: number): void {
    this.#limits.result = size;
  }

  /** Something else takes what comes before the result, and returns the result. */
  divert(take: (data: Buffer) => Buffer): void {
    this.#divert = take;
  }

  takeFrames(chunk: Buffer): void {
    this.#frames.take(chunk, (channel, data) =>
      this.take(channel, channel === 'result' ? this.#divert(data) : data),
    );
  }

  take(channel: Channel, data: Buffer): void {
    if (this.exceeded !== undefined) return;
    const room = this.#limits[channel] - this.#sizes[channel];
    if (data.length > room) this.exceeded = channel;
    this.#chunks[channel].push(data.subarray(0, room));
    this.#sizes[channel] += Math.min(room, data.length);
  }

  readText(channel: Channel): string {
    return Buffer.concat(this.#chunks[channel]).toString('utf8');
  }
}
