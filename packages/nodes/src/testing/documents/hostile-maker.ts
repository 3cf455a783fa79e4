/** Seeded random numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Generates documents that are hard to parse: pieces of a format's grammar, randomly repeated and nested. */
export class Maker {
  readonly #random: () => number;
  readonly #most: number;

  constructor(seed: number, most: number) {
    this.#random = randomFrom(seed);
    this.#most = most;
  }

  below = (most: number): number => Math.floor(this.#random() * most);

  pick = <T>(list: readonly T[]): T => {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error('the list is empty');
    return picked;
  };

  /** Log-uniform, so that small ones are as frequent as large ones. */
  size = (): number => Math.floor(Math.exp(this.#random() * Math.log(this.#most)));

  /** Repeats a few of the pieces: one after the other, or all of them in turns. */
  text(pieces: readonly string[], radix?: number): string {
    const chosen = Array.from({ length: 1 + this.below(4) }, () => this.pick(pieces));
    return this.#repeated(this.below(2) === 0 ? chosen.map((piece) => [piece]) : [chosen], radix);
  }

  /** Each piece many times, one after the other. */
  runs(...pieces: readonly string[]): string {
    return this.#repeated(pieces.map((piece) => [piece]));
  }

  /** The pieces of each group in turns, many times. `#` in a piece is a number that grows with each piece, from 1 on. */
  #repeated(groups: readonly (readonly string[])[], radix = 36): string {
    let at = 1;
    return groups
      .map((pieces) => {
        const count = Math.ceil(this.size() / groups.length / pieces.join('').length);
        const turn = () => pieces.map((piece) => piece.replaceAll('#', (at++).toString(radix))).join('');
        return Array.from({ length: count }, turn).join('');
      })
      .join('');
  }
}
