/** Code units whose hash decides how far the window may move. */
const BLOCK = 3;
/** A longer window moves further, but few secrets are that long and all windows are as long as the shortest phrase. */
const MOST_WINDOW = 16;
const SMALLEST_TABLE = 1 << 10;
const LARGEST_TABLE = 1 << 16;

/** Comparing shorter agreements again is faster than remembering them. */
const LONG_AGREEMENT = 64;

export interface Find {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

interface Phrase {
  readonly text: string;
  /** The longest other phrase that it begins with. */
  within?: Phrase;
  /** At each place, how far the phrase agrees with its own beginning (Gusfield, 1997: the Z algorithm). */
  own_agreements?: Int32Array;
}

/**
 * How far a text agrees with phrases at the places already searched, for searches that move through the text. Long matches
 * are not compared again, so masking a long run of one letter takes no longer than masking any other text.
 */
export class Agreements {
  /** By phrase: the place of its last long match. */
  #last: Map<Phrase, Find> | undefined;

  /** How many letters of the phrase stand at this place of the text. */
  at(text: string, start: number, phrase: Phrase): number {
    const last = this.#last?.get(phrase);
    let length = 0;
    if (last && start < last.end) {
      const own = ownAgreements(phrase)[start - last.start] ?? 0;
      if (own < last.end - start) return own;
      length = last.end - start;
    }
    while (length < phrase.text.length && text.charCodeAt(start + length) === phrase.text.charCodeAt(length))
      length += 1;
    if (length >= LONG_AGREEMENT) {
      this.#last ??= new Map();
      this.#last.set(phrase, { start, end: start + length });
    }
    return length;
  }
}

function ownAgreements(phrase: Phrase): Int32Array {
  phrase.own_agreements ??= computeAgreements(phrase.text);
  return phrase.own_agreements;
}

function computeAgreements(text: string): Int32Array {
  const all = new Int32Array(text.length);
  all[0] = text.length;
  let start = 0;
  let end = 0;
  for (let at = 1; at < text.length; at++) {
    let length = at < end ? Math.min(end - at, all[at - start] ?? 0) : 0;
    while (at + length < text.length && text.charCodeAt(length) === text.charCodeAt(at + length)) length += 1;
    all[at] = length;
    if (at + length > end) {
      start = at;
      end = at + length;
    }
  }
  return all;
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
  /** By hash of the last block of their window, in the order of their code units. */
  readonly #phrases = new Map<number, Phrase[]>();

  /** @param phrases each at least `BLOCK` characters long, at least one */
  constructor(phrases: readonly string[]) {
    const shortest = phrases.reduce((least, { length }) => Math.min(least, length), MOST_WINDOW);
    this.#window = shortest;
    const blocks = phrases.length * (shortest - BLOCK + 1);
    let size = SMALLEST_TABLE;
    while (size < blocks * 8 && size < LARGEST_TABLE) size *= 2;
    this.#mask = size - 1;
    this.#shifts = new Uint8Array(size).fill(shortest - BLOCK + 1);
    for (const text of phrases) this.#add({ text });
    for (const list of this.#phrases.values()) putInOrder(list);
  }

  #add(phrase: Phrase): void {
    for (let end = BLOCK; end <= this.#window; end++) {
      const hash = hashAt(phrase.text, end, this.#mask);
      const shift = this.#window - end;
      if (shift < (this.#shifts[hash] ?? 0)) this.#shifts[hash] = shift;
    }
    const last = hashAt(phrase.text, this.#window, this.#mask);
    const known = this.#phrases.get(last);
    if (known) known.push(phrase);
    else this.#phrases.set(last, [phrase]);
  }

  /**
   * The first place at or behind `from` where a phrase begins, with the longest one there.
   *
   * @param agreements of earlier searches in the same text, each from a smaller `from`
   */
  find(text: string, from = 0, agreements?: Agreements): Find | undefined {
    const window = this.#window;
    const mask = this.#mask;
    const shifts = this.#shifts;
    let known = agreements;
    for (let end = from + window; end <= text.length; ) {
      const hash = hashAt(text, end, mask);
      const shift = shifts[hash] ?? 1;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const start = end - window;
      const phrases = this.#phrases.get(hash);
      // Most blocks are in a text by chance, with another letter before them.
      if (phrases && beginsLikeOne(text.charCodeAt(start), phrases)) {
        const found = longestAt(text, start, phrases, (known ??= new Agreements()));
        if (found > 0) return { start, end: start + found };
      }
      end += 1;
    }
    return undefined;
  }
}

/** Length of the longest of these phrases that stands at this place, 0 when none does. A binary search. */
function longestAt(text: string, start: number, ordered: readonly Phrase[], agreements: Agreements): number {
  let low = 0;
  let high = ordered.length;
  let longest = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const phrase = ordered[middle];
    if (!phrase) break;
    const length = agreements.at(text, start, phrase);
    let whole: Phrase | undefined = phrase;
    while (whole && whole.text.length > length) whole = whole.within;
    longest = Math.max(longest, whole?.text.length ?? 0);
    // A prefix sorts before longer texts.
    const isBehind =
      length === phrase.text.length ||
      (start + length < text.length && text.charCodeAt(start + length) > phrase.text.charCodeAt(length));
    if (isBehind) low = middle + 1;
    else high = middle;
  }
  return longest;
}

/** They are in order, so the letter lies between those of the first and the last. */
function beginsLikeOne(letter: number, ordered: readonly Phrase[]): boolean {
  const first = ordered[0]?.text.charCodeAt(0) ?? 0;
  return letter === first || (letter > first && letter <= (ordered.at(-1)?.text.charCodeAt(0) ?? 0));
}

function putInOrder(phrases: Phrase[]): void {
  phrases.sort((one, two) => (one.text < two.text ? -1 : 1));
  const open: Phrase[] = [];
  for (const phrase of phrases) {
    while (open.length > 0 && !phrase.text.startsWith(open.at(-1)?.text ?? '')) open.pop();
    const within = open.at(-1);
    if (within) phrase.within = within;
    open.push(phrase);
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
