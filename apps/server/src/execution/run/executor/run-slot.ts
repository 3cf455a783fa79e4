import type { LiveRuns } from '../live-runs.ts';

/**
 * The place of one run among those that a process works on at once. It is free while all that the run does is wait: for a
 * time, for its next attempt, or for a run that it has called.
 */
export class RunSlot {
  readonly #live: Pick<LiveRuns, 'lendSlot'>;
  readonly #workflow_id: string;
  /** Nodes under way, and those of them that only wait. */
  #under_way = 0;
  #waiting = 0;
  #takeBack: (() => void) | undefined;

  constructor(live: Pick<LiveRuns, 'lendSlot'>, workflow_id: string) {
    this.#live = live;
    this.#workflow_id = workflow_id;
  }

  /** A node is under way until its result is there. Without a promise it already is: a run of pure nodes pays nothing. */
  during<T>(result: Promise<T>): Promise<T>;
  during<T>(result: T | Promise<T>): T | Promise<T>;
  during<T>(result: T | Promise<T>): T | Promise<T> {
    return result instanceof Promise ? this.#during(result) : result;
  }

  async #during<T>(result: Promise<T>): Promise<T> {
    this.#change(1, 0);
    try {
      return await result;
    } finally {
      this.#change(-1, 0);
    }
  }

  /** A node that is under way only waits until then. */
  async whileWaiting<T>(until: Promise<T>): Promise<T> {
    this.#change(0, 1);
    try {
      return await until;
    } finally {
      this.#change(0, -1);
    }
  }

  #change(under_way: number, waiting: number): void {
    this.#under_way += under_way;
    this.#waiting += waiting;
    const onlyWaits = this.#waiting > 0 && this.#waiting >= this.#under_way;
    if (onlyWaits === (this.#takeBack !== undefined)) return;
    if (onlyWaits) this.#takeBack = this.#live.lendSlot(this.#workflow_id);
    else {
      this.#takeBack?.();
      this.#takeBack = undefined;
    }
  }
}
