import { isJsonObject } from '@millrace/engine';

/** Shorter texts are not worth a reference. */
const SHORTEST_TEXT = 64;
/** Parts that are looked at, so that an input of a million keys costs no more than others. */
const MOST_PARTS = 32;

function isWorthIt(value: unknown): boolean {
  if (typeof value === 'string') return value.length >= SHORTEST_TEXT;
  if (typeof value !== 'object' || value === null) return false;
  for (const _ in value) return true;
  return false;
}

type Reference = Readonly<Record<string, readonly string[]>>;

/**
 * Finds parts of a run's input again, its own values and those of its body, by their identity, texts by what they say.
 * Nodes hand on what they got, so rows are full of them.
 */
export class InputParts {
  readonly #key: string;
  /** At the same places; there are so few that a search from the front beats a map. */
  readonly #parts: unknown[] = [];
  readonly #references: Reference[] = [];
  #used = 0;

  /** @param key of an object that stands for a part */
  constructor(key: string, input: unknown) {
    this.#key = key;
    if (!isJsonObject(input)) return;
    this.#addAll(input, undefined);
    const body = input['body'];
    if (isJsonObject(body)) this.#addAll(body, 'body');
  }

  /** References given so far. */
  get used(): number {
    return this.#used;
  }

  /** The value with references in the place of itself or of what it consists of; the value itself if there are none. */
  inside(value: unknown): unknown {
    if (this.#parts.length === 0) return value;
    const whole = this.#referenceTo(value);
    if (whole || !isJsonObject(value)) return whole ?? value;
    let copy: Record<string, unknown> | undefined;
    for (const name in value) {
      const reference = this.#referenceTo(value[name]);
      if (!reference) continue;
      copy ??= { ...value };
      copy[name] = reference;
    }
    return copy ?? value;
  }

  #referenceTo(value: unknown): Reference | undefined {
    if (typeof value !== 'object' && typeof value !== 'string') return undefined;
    const place = this.#parts.indexOf(value);
    if (place < 0) return undefined;
    this.#used += 1;
    return this.#references[place];
  }

  #addAll(values: Readonly<Record<string, unknown>>, above: string | undefined): void {
    for (const name in values) {
      if (this.#parts.length >= MOST_PARTS) return;
      const value = values[name];
      if (!isWorthIt(value)) continue;
      this.#parts.push(value);
      this.#references.push({ [this.#key]: above === undefined ? [name] : [above, name] });
    }
  }
}

/** The part of the input that a path leads to. @throws Error when there is none */
export function partAt(input: unknown, path: readonly string[]): unknown {
  let value = input;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name))
      throw new Error(`the stored input has no ${path.join('.')}`);
    value = value[name];
  }
  return value;
}
