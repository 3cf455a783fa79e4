import type { Failure, NodeResult } from './node-run.ts';
import type { NodeTask } from './task.ts';

/** Something that a run waited for: a node's result, or the end of the pause before another attempt. */
export type Completion =
  | { readonly task: NodeTask; readonly result: NodeResult }
  | { readonly task: NodeTask; readonly failure: Failure; readonly slept: 'done' | 'cancelled' };

/** Collects what is completed while the loop does not look, and wakes it. */
export class Completions {
  #queue: Completion[] = [];
  #taken = 0;
  #wake: (() => void) | undefined;

  watch(task: NodeTask, result: Promise<NodeResult>, failed: (error: unknown) => NodeResult): void {
    result.then(
      (value) => this.#add({ task, result: value }),
      (error: unknown) => this.#add({ task, result: failed(error) }),
    );
  }

  pause(task: NodeTask, failure: Failure, sleep: Promise<'done' | 'cancelled'>): void {
    sleep.then(
      (slept) => this.#add({ task, failure, slept }),
      () => this.#add({ task, failure, slept: 'cancelled' }),
    );
  }

  take(): Completion | undefined {
    if (this.#taken === this.#queue.length) return undefined;
    const completion = this.#queue[this.#taken++];
    if (this.#taken === this.#queue.length) {
      this.#queue.length = 0;
      this.#taken = 0;
    }
    return completion;
  }

  /** Settles when at least one completion can be taken. */
  next(): Promise<void> {
    if (this.#taken < this.#queue.length) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #add(completion: Completion): void {
    this.#queue.push(completion);
    this.#wake?.();
    this.#wake = undefined;
  }
}
