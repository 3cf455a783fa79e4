/** Keeps what was used last, bounded by count and by the total length of its texts. */
export class TextCache<T> {
  readonly #entries = new Map<string, T>();
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(limits: { maxEntries: number; maxCharacters: number }) {
    this.#maxEntries = limits.maxEntries;
    this.#maxCharacters = limits.maxCharacters;
  }

  get size(): number {
    return this.#entries.size;
  }

  get characters(): number {
    return this.#characters;
  }

  get(text: string): T | undefined {
    const found = this.#entries.get(text);
    if (found === undefined) return undefined;
    this.#entries.delete(text);
    this.#entries.set(text, found);
    return found;
  }

  set(text: string, value: T): void {
    if (text.length > this.#maxCharacters) return;
    if (!this.#entries.has(text)) this.#characters += text.length;
    this.#entries.set(text, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#characters <= this.#maxCharacters) return;
      this.#entries.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
