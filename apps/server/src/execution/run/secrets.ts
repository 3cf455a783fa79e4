import { createMasker, type Masker } from '@millrace/engine';

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Secret values that a run has come to know, and the mask for everything that leaves it (§5.8). Values are handed back
 * untouched, and without being looked at, while there are no secrets.
 */
export class RunSecretsMask {
  readonly #values: Set<string>;
  readonly #inherited: ReadonlySet<string>;
  #masker: Masker | undefined;

  /** @param inherited what the input may hold: secrets of the run above, or of a former life of this one */
  constructor(inherited?: Iterable<string>) {
    this.#inherited = inherited ? new Set(inherited) : NOTHING;
    this.#values = new Set(this.#inherited);
    if (inherited) this.#masker = maskerOf(this.#values);
  }

  get values(): ReadonlySet<string> {
    return this.#values;
  }

  add(values: Iterable<string>): void {
    for (const value of values) this.#values.add(value);
    this.#masker = maskerOf(this.#values);
  }

  /** The same value when nothing in it is secret. */
  mask<T>(value: T): T {
    // Guarantee: masking replaces text and keeps shape, so the type stays.
    return this.#masker === undefined ? value : (this.#masker.mask(value as never) as T);
  }

  /** The same for the run above, which gets back as it was what it has handed on. */
  maskForParent<T>(value: T): T {
    const own = maskerOf([...this.#values].filter((secret) => !this.#inherited.has(secret)));
    return own === undefined ? value : (own.mask(value as never) as T);
  }
}

function maskerOf(values: Iterable<string>): Masker | undefined {
  const list = [...values];
  return list.length === 0 ? undefined : createMasker(list);
}
