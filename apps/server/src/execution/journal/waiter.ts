import type { DuplicateRun, Fenced, JournalUnavailable, OwnershipLost } from '../model/errors.ts';

export type JournalFailure = Fenced | OwnershipLost | DuplicateRun | JournalUnavailable;

/** A caller that waits for an operation to be durable. */
export class Waiter {
  readonly durable: Promise<void>;
  readonly #onSettled: ((failure?: JournalFailure) => void) | undefined;
  #resolve: () => void = () => undefined;
  #reject: (failure: JournalFailure) => void = () => undefined;

  /** @param onSettled called when the operation is written or never will be, also if the caller was turned away before */
  constructor(onSettled?: (failure?: JournalFailure) => void) {
    this.#onSettled = onSettled;
    this.durable = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Not every caller awaits it; a failure reaches those that do.
    this.durable.catch(() => undefined);
  }

  resolve(): void {
    this.#onSettled?.();
    this.#resolve();
  }

  /** The operation will not be written. */
  reject(failure: JournalFailure): void {
    this.#onSettled?.(failure);
    this.#reject(failure);
  }

  /** The caller waits no longer; the operation stays in line. */
  turnAway(failure: JournalUnavailable): void {
    this.#reject(failure);
  }
}
