import type { z } from 'zod';
import { MEGABYTE } from './units.ts';

/** Longer ones would keep the event loop; the changes of a coding agent and screenshots fit in. */
const LONGEST_LINE = 24 * MEGABYTE;

/** Messages, a line each, in what a container writes. It is not trusted, so that whatever is no message is dropped. */
export class MessageLines<T> {
  readonly #schema: z.ZodType<T>;
  readonly #hear: (message: T) => void;
  readonly #decoder = new TextDecoder();
  #line: string[] = [];
  #length = 0;

  constructor(schema: z.ZodType<T>, hear: (message: T) => void) {
    this.#schema = schema;
    this.#hear = hear;
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
    if (message !== undefined) this.#hear(message);
  }

  #messageIn(line: string): T | undefined {
    try {
      return this.#schema.safeParse(JSON.parse(line)).data;
    } catch {
      return undefined;
    }
  }
}
