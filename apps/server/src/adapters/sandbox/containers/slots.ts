import { NodeFailure } from '@millrace/engine';

interface Patience {
  /** How long to wait for a place; absent: for as long as it takes. */
  readonly longest_ms?: number;
}

/** Lets only so many callers work at once; the others wait in the order in which they came. */
export class Slots {
  readonly #count: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  /** How many wait for a place. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Rejects with the reason of the signal when it aborts before there is a place. @throws NodeFailure when none is free in time */
  async use<T>(signal: AbortSignal, work: () => Promise<T>, patience: Patience = {}): Promise<T> {
    await this.#enter(signal, patience);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  #enter(signal: AbortSignal, { longest_ms }: Patience): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const settle = () => {
        signal.removeEventListener('abort', abort);
        clearTimeout(timer);
      };
      const enter = () => {
        settle();
        resolve();
      };
      const leave = (reason: unknown) => {
        settle();
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(reason);
      };
      const abort = () => leave(signal.reason);
      const timer =
        longest_ms === undefined ? undefined : setTimeout(() => leave(this.#full(longest_ms)), longest_ms);
      this.#waiting.push(enter);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #full(waited_ms: number): NodeFailure {
    return new NodeFailure({
      kind: 'timeout',
      message: `no container was free within ${waited_ms / 1_000} s; all ${this.#count} that SANDBOX_CONCURRENCY allows are in use`,
    });
  }
}
