import { createMasker, type Masker } from '@millrace/engine';

/**
 * Secret values that a run has come to know, and the mask for everything that leaves it (§5.8). Values are handed back
 * untouched, and without being looked at, while there are no secrets.
 */
export class RunSecretsMask {
  readonly #values = new Set<string>();
  #masker: Masker | undefined;

  add(values: Iterable<string>): void {
    for (const value of values) this.#values.add(value);
    this.#masker = this.#values.size === 0 ? undefined : createMasker([...this.#values]);
  }

  /** The same value when nothing in it is secret. */
  mask<T>(value: T): T {
    // Guarantee: masking replaces text and keeps shape, so the type stays.
    return this.#masker === undefined ? value : (this.#masker.mask(value as never) as T);
  }
}
