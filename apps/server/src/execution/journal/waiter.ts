import type { DuplicateRun, Fenced, JournalUnavailable, OwnershipLost } from '../model/errors.ts';

export type JournalFailure = Fenced | OwnershipLost | DuplicateRun | JournalUnavailable;

/** A caller that waits for an operation to be durable. */
export class Waiter {
  readonly durable: Promise<void>;
  readonly #onDurable: (() => void) | undefined;
  #resolve: () => void = () => undefined;
  #reject: (failure: JournalFailure) => void = () => undefined;

  /** @param onDurable also called when the caller has been turned away meanwhile */
  constructor(onDurable?: () => void) {
    this.#onDurable = onDurable;
    this.durable = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Not every caller awaits it; a failure reaches those that do.
    this.durable.catch(() => undefined);
  }

  resolve(): void {
    this.#onDurable?.();
    this.#resolve();
  }
  reject(failure: JournalFailure): void {
    this.#reject(failure);
  }
}
