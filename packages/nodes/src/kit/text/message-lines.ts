import { MEGABYTE } from '@millrace/engine/units';
import type { z } from 'zod';

/** Longer ones would keep the event loop; the changes of a coding agent and screenshots fit in. */
const LONGEST_LINE = 24 * MEGABYTE;

/**
 * Writes a message as a line; part of the text of a program that runs in a container and has `fs`. A pipe takes a part of a long
 * message, and nothing while it is full.
 */
export const SAY = String.raw`function say(message) {
  let rest = Buffer.from(JSON.stringify(message) + '\n');
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}`;

/**
 * Reads messages, one per line, from the output of a container. The container is not trusted: lines that are not valid messages
 * are ignored, or told to `onInvalid`.
 */
export class MessageLines<T> {
  readonly #schema: z.ZodType<T>;
  readonly #hear: (message: T) => void;
  readonly #onInvalid: () => void;
  readonly #decoder = new TextDecoder();
  #line: string[] = [];
  #length = 0;

  constructor(schema: z.ZodType<T>, hear: (message: T) => void, onInvalid: () => void = () => undefined) {
    this.#schema = schema;
    this.#hear = hear;
    this.#onInvalid = onInvalid;
  }

  take(piece: Uint8Array): void {
    const [first = '', ...more] = this.#decoder.decode(piece, { stream: true }).split('\n');
    this.#add(first);
    for (const begin of more) {
      this.#end();
      this.#add(begin);
    }
  }

  #add(text: string): void {
    this.#length += text.length;
    if (this.#length <= LONGEST_LINE) this.#line.push(text);
  }

  #end(): void {
    const message = this.#length <= LONGEST_LINE ? this.#messageIn(this.#line.join('')) : undefined;
    this.#line = [];
    this.#length = 0;
    if (message === undefined) this.#onInvalid();
    else this.#hear(message);
  }

  #messageIn(line: string): T | undefined {
    try {
      return this.#schema.safeParse(JSON.parse(line)).data;
    } catch {
      return undefined;
    }
  }
}
