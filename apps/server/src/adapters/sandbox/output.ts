/** Splits the stream of an attached container into its two channels and says when one of them is too long. */
export class Output {
  readonly #chunks: { result: Buffer[]; logs: Buffer[] } = { result: [], logs: [] };
  readonly #sizes = { result: 0, logs: 0 };
  readonly #limits: { readonly result: number; readonly logs: number };
  #rest: Buffer = Buffer.alloc(0);
  /** The channel that is too long; the rest of it is not kept. */
  exceeded: 'result' | 'logs' | undefined;

  constructor(limits: { readonly result: number; readonly logs: number }) {
    this.#limits = limits;
  }

  /**
   * Frames of the Docker Engine API, "Attach to a container": a byte for the channel (2 is stderr), three zeros, the length in
   * four bytes, the data.
   */
  takeFrames(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 8 && this.exceeded === undefined) {
      const end = 8 + this.#rest.readUInt32BE(4);
      if (this.#rest.length < end) {
        if (end > 8 + this.#limits.result) this.exceeded = 'result';
        return;
      }
      this.take(this.#rest[0] === 2 ? 'logs' : 'result', this.#rest.subarray(8, end));
      this.#rest = this.#rest.subarray(end);
    }
  }

  take(channel: 'result' | 'logs', data: Buffer): void {
    if (this.exceeded !== undefined) return;
    const room = this.#limits[channel] - this.#sizes[channel];
    if (data.length > room) this.exceeded = channel;
    this.#chunks[channel].push(data.subarray(0, room));
    this.#sizes[channel] += Math.min(room, data.length);
  }

  textOf(channel: 'result' | 'logs'): string {
    return Buffer.concat(this.#chunks[channel]).toString('utf8');
  }
}
