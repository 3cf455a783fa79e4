/** Code units whose hash decides how far the window may move. */
const BLOCK = 3;
/** A longer window moves further, but few secrets are that long and all windows are as long as the shortest phrase. */
const MOST_WINDOW = 16;
const SMALLEST_TABLE = 1 << 10;
const LARGEST_TABLE = 1 << 16;

export interface Find {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * Finds many phrases in one pass (Wu and Manber, "A fast algorithm for multi-pattern searching", 1994): most positions are
 * skipped, and the cost per character hardly grows with the number of phrases.
 */
export class PhraseMatcher {
  readonly #window: number;
  readonly #mask: number;
  /** By hash of a block: how far the window may move without missing a phrase. */
  readonly #shifts: Uint8Array;
  /** By hash of the last block of their window, longest first. */
  readonly #phrases = new Map<number, string[]>();

  /** @param phrases each at least `BLOCK` characters long, at least one */
  constructor(phrases: readonly string[]) {
    const shortest = phrases.reduce((least, { length }) => Math.min(least, length), MOST_WINDOW);
    this.#window = shortest;
    const blocks = phrases.length * (shortest - BLOCK + 1);
    let size = SMALLEST_TABLE;
    while (size < blocks * 8 && size < LARGEST_TABLE) size *= 2;
    this.#mask = size - 1;
    this.#shifts = new Uint8Array(size).fill(shortest - BLOCK + 1);
    for (const phrase of phrases) this.#add(phrase);
    for (const list of this.#phrases.values()) list.sort((one, two) => two.length - one.length);
  }

  #add(phrase: string): void {
    for (let end = BLOCK; end <= this.#window; end++) {
      const hash = hashAt(phrase, end, this.#mask);
      const shift = this.#window - end;
      if (shift < (this.#shifts[hash] ?? 0)) this.#shifts[hash] = shift;
    }
    const last = hashAt(phrase, this.#window, this.#mask);
    const known = this.#phrases.get(last);
    if (known) known.push(phrase);
    else this.#phrases.set(last, [phrase]);
  }

  /** The first place at or behind `from` where a phrase begins, with the longest one there. */
  find(text: string, from = 0): Find | undefined {
    const window = this.#window;
    const mask = this.#mask;
    const shifts = this.#shifts;
    for (let end = from + window; end <= text.length; ) {
      const hash = hashAt(text, end, mask);
      const shift = shifts[hash] ?? 1;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const start = end - window;
      for (const phrase of this.#phrases.get(hash) ?? []) {
        if (text.startsWith(phrase, start)) return { start, end: start + phrase.length };
      }
      end += 1;
    }
    return undefined;
  }
}

/** Of the block that ends before `end`. */
function hashAt(text: string, end: number, mask: number): number {
  const mixed =
    Math.imul(text.charCodeAt(end - 1), 0x9e3779b1) ^
    Math.imul(text.charCodeAt(end - 2), 0x85ebca77) ^
    Math.imul(text.charCodeAt(end - 3), 0xc2b2ae3d);
  return (mixed ^ (mixed >>> 15)) & mask;
}
