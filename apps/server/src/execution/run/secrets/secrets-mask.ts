import { createMasker, type Masker } from '@millrace/engine';
import { NO_SECRETS, type RunSecrets, type SecretSet } from '../../../ports/run/run-secrets.ts';

/**
 * The mask for everything that leaves a run (§5.8): every secret that its person can resolve, and what the run came to
 * know besides. Values are handed back untouched, and without being looked at, while there are no secrets.
 */
export class RunSecretsMask {
  readonly #shared: SecretSet;
  /** Values that are not in the shared set: those of the run above or of a former process, or read since it was made. */
  #own: Set<string> | undefined;
  #masker: Masker | undefined;

  /** @param shared what is hidden in all runs of the person; compiled once for all of them */
  constructor(shared: SecretSet = NO_SECRETS, more?: Iterable<string>) {
    this.#shared = shared;
    this.#masker = shared.masker;
    if (more) this.add(more);
  }

  /** All of them, for runs that this one starts and for its own resumption. */
  get values(): ReadonlySet<string> {
    return this.#own ? new Set([...this.#shared.values, ...this.#own]) : this.#shared.values;
  }

  add(values: Iterable<string>): void {
    let isNew = false;
    for (const value of values) {
      if (this.#shared.values.has(value) || this.#own?.has(value)) continue;
      (this.#own ??= new Set()).add(value);
      isNew = true;
    }
    if (!isNew) return;
    const masker = createMasker([...this.values]);
    this.#masker = masker.isEmpty ? undefined : masker;
  }

  /** Another one once the run has come to know more secrets; undefined while there are none. */
  get masker(): Masker | undefined {
    return this.#masker;
  }

  /** Short values, which masking ignores, also count when they are the whole text. */
  holdsSecret(text: string): boolean {
    if (this.#shared.values.has(text) || this.#own?.has(text) === true) return true;
    return this.#masker !== undefined && this.#masker.maskText(text) !== text;
  }

  /** The same value when nothing in it is secret. */
  mask<T>(value: T): T {
    return this.#masker === undefined ? value : this.#masker.mask(value);
  }
}

/** A mask that hides the values of credentials that a person can resolve, in what leaves the service outside of a run. */
export async function createMask(
  run_secrets: Pick<RunSecrets, 'getSecrets'>,
  user_id: string,
): Promise<<T>(value: T) => T> {
  const mask = new RunSecretsMask(await run_secrets.getSecrets(user_id));
  return (value) => mask.mask(value);
}
