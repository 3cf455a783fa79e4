import type { Find } from './phrase-matcher.ts';

/** Masks a text that comes in pieces: all that it gives out is together what the mask makes of the whole text. */
export interface TextMask {
  /** The text that can be shown by now. The end of the text is held back while it may be the hidden part of a secret. */
  add(piece: string): string;
  /** The text that was held back; nothing comes behind it. */
  end(): string;
}

export interface Hiding {
  /** Masks a text in which no secret is cut off. */
  readonly replace: (text: string) => string;
  /** Where secrets are in such a text, in order and apart from each other. */
  readonly groups: (text: string) => Find[];
  /** How many characters of a secret remain visible. */
  readonly kept: number;
}

/** More places are followed only in long runs of letters that a long secret repeats. */
const MOST_CANDIDATES = 64;

/** The sorted forms between `low` and `high` that agree with the text from `start` on. */
interface Candidate {
  readonly start: number;
  low: number;
  high: number;
}

/**
 * Follows every place of the text at which a secret may have begun, letter by letter. Forms are sorted, so those that agree
 * with what was read are a range that each letter narrows; for most letters there is no such place.
 */
export class SecretTextMask implements TextMask {
  readonly #forms: readonly string[];
  readonly #hiding: Hiding;
  /** Text whose mask later letters may still change. */
  #pending = '';
  /** How much of it has been given out: the beginning of a secret is never hidden. */
  #given = 0;
  #candidates: Candidate[] = [];
  /** Places of the secrets found in what is pending, in order. Those that overlap are one: a run of one letter may hold thousands. */
  #finds: Find[] = [];
  /** Set once there are too many places to follow: the length of pending text at which it is searched as a whole again. */
  #next_search: number | undefined;
  #longest: number | undefined;

  /** @param forms sorted, without duplicates */
  constructor(forms: readonly string[], hiding: Hiding) {
    this.#forms = forms;
    this.#hiding = hiding;
  }

  add(piece: string): string {
    const from = this.#pending.length;
    this.#pending += piece;
    for (let at = from; at < this.#pending.length && this.#next_search === undefined; at++) this.#read(at);
    if (this.#next_search !== undefined) return this.#giveInBulk(this.#next_search);
    return this.#give(this.#settled());
  }

  end(): string {
    this.#candidates = [];
    if (this.#next_search !== undefined) this.#finds = this.#hiding.groups(this.#pending);
    return this.#give(this.#pending.length);
  }

  #read(at: number): void {
    const letter = this.#pending.charCodeAt(at);
    this.#candidates.push({ start: at, low: 0, high: this.#forms.length });
    this.#candidates = this.#candidates.filter((candidate) => this.#agrees(candidate, letter, at));
    if (this.#candidates.length > MOST_CANDIDATES) this.#next_search = 0;
  }

  /** Holds back as much as the longest secret may need. Searches rarely, so that the cost per letter stays small. */
  #giveInBulk(next_search: number): string {
    if (this.#pending.length < next_search) return '';
    this.#candidates = [];
    this.#finds = this.#hiding.groups(this.#pending);
    this.#longest ??= this.#forms.reduce((most, { length }) => Math.max(most, length), 0);
    const begun = Math.max(0, this.#pending.length - this.#longest + 1);
    const across = this.#finds.find(({ start, end }) => start < begun && end > begun);
    const news = this.#give(across?.start ?? begun);
    this.#next_search = 2 * Math.max(this.#pending.length, this.#longest);
    return news;
  }

  /** Keeps only the forms whose next letter is this one; false when none is left. */
  #agrees(candidate: Candidate, letter: number, at: number): boolean {
    const { start } = candidate;
    const depth = at - start;
    candidate.low = this.#firstFrom(candidate, depth, letter);
    candidate.high = this.#firstFrom(candidate, depth, letter + 1);
    if (candidate.low === candidate.high) return false;
    // The shortest of those that agree is the first.
    if (this.#forms[candidate.low]?.length === depth + 1) {
      this.#find({ start, end: at + 1 });
      candidate.low += 1;
    }
    return candidate.low < candidate.high;
  }

  /** @param found ends behind all others */
  #find({ start, end }: Find): void {
    const before = this.#finds.filter((find) => find.end <= start);
    const first = this.#finds[before.length]?.start ?? start;
    this.#finds = [...before, { start: Math.min(first, start), end }];
  }

  /** The first form of the range whose letter at `depth` is not smaller. */
  #firstFrom({ low, high }: Candidate, depth: number, letter: number): number {
    let first = low;
    let behind = high;
    while (first < behind) {
      const middle = (first + behind) >>> 1;
      if ((this.#forms[middle]?.charCodeAt(depth) ?? 0) < letter) first = middle + 1;
      else behind = middle;
    }
    return first;
  }

  /** How much of what is pending no later letter can change: secrets that overlap are masked as one. */
  #settled(): number {
    const end = this.#candidates[0]?.start ?? this.#pending.length;
    const within = this.#finds.find((find) => find.start < end && find.end > end);
    return within?.start ?? end;
  }

  /** Masks what is settled, and gives out what is new of it and of the visible part of what may be a secret behind it. */
  #give(end: number): string {
    const settled = this.#pending.slice(0, end);
    const isSecret = this.#finds.some(({ start }) => start < end);
    this.#pending = this.#pending.slice(end);
    const visible = this.#pending.slice(0, this.#hiding.kept);
    const shown = (isSecret ? this.#hiding.replace(settled) : settled) + visible;
    const news = shown.slice(this.#given);
    this.#given = visible.length;
    if (end > 0) this.#move(end);
    return news;
  }

  #move(by: number): void {
    this.#candidates = this.#candidates.map((one) => ({ ...one, start: one.start - by }));
    this.#finds = this.#finds
      .filter(({ start }) => start >= by)
      .map(({ start, end }) => ({ start: start - by, end: end - by }));
  }
}
