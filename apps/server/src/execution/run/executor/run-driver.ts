import type { RunEvent, Wait } from '@millrace/engine';
import { nextTurn } from '../sleep.ts';

/** How long a run of pure nodes may keep the event loop before others get a turn. */
const SLICE_MS = 10;
const STEPS_BETWEEN_LOOKS = 64;

export interface EventTaker {
  take(event: RunEvent): void;
}

/** Takes a run through its events, synchronously between waits. */
export class RunDriver {
  readonly #events: Generator<RunEvent | Wait, void, void>;
  #wake: (() => void) | undefined;

  constructor(events: Generator<RunEvent | Wait, void, void>) {
    this.#events = events;
  }

  /** The next wait, or a turn of the event loop when the time slice is used up; undefined at the end of the run. */
  advance(taker: EventTaker): Promise<void> | undefined {
    const slice_ends = performance.now() + SLICE_MS;
    for (let steps = 1; ; steps++) {
      const next = this.#events.next();
      if (next.done === true) return undefined;
      if (next.value.type === 'wait') return next.value.until;
      taker.take(next.value);
      if (steps % STEPS_BETWEEN_LOOKS === 0 && performance.now() > slice_ends) return nextTurn();
    }
  }

  /** Resolves with the wait, or earlier when `wake` is called. */
  until(wait: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      void wait.then(resolve);
    });
  }

  /** Ends the current wait early: something outside of the events has changed. */
  readonly wake = (): void => {
    this.#wake?.();
  };
}
