import { setMaxListeners } from 'node:events';
import type { Failure } from '@millrace/engine';
import { stopsTheRun } from '../start/run-request.ts';

const TIMED_OUT: Failure = { kind: 'timeout', message: 'The workflow exceeded its time limit', final: true };

/** Longest delay that a timer of Node takes: 24.8 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface RunLimitsOptions {
  readonly now: () => number;
  readonly deadline_at_ms: number | null;
  readonly parent_signal: AbortSignal | undefined;
  /** The run should end now. */
  readonly onStop: () => void;
  /** The run above continues elsewhere and will find this one there. */
  readonly onHandOver: () => void;
}

/** The limits that end a run from outside: its time, a cancellation, the end of the run above. */
export class RunLimits {
  readonly #options: RunLimitsOptions;
  #parent_signal: AbortSignal | undefined;
  #abort: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stop: Failure | boolean = false;
  #given_up: Error | undefined;

  constructor(options: RunLimitsOptions) {
    this.#options = options;
    this.#parent_signal = options.parent_signal;
  }

  /** Aborted when the run ends: anything a node waits for must stop then. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      setMaxListeners(0, this.#abort.signal);
      if (this.#stop !== false || this.#given_up) this.#abort.abort(this.#given_up);
    }
    return this.#abort.signal;
  }

  get is_stopping(): boolean {
    return this.#stop !== false;
  }

  /** Why the run must end: true for a cancellation. */
  get reason(): boolean | Failure {
    if (this.#stop !== false) return this.#stop;
    const { deadline_at_ms, now } = this.#options;
    return deadline_at_ms !== null && now() >= deadline_at_ms ? TIMED_OUT : false;
  }

  /** From now on others may end the run. */
  watch(): void {
    const { deadline_at_ms } = this.#options;
    if (deadline_at_ms !== null) this.#waitUntil(deadline_at_ms);
    if (this.#parent_signal?.aborted) this.#onParentEnd();
    else this.#parent_signal?.addEventListener('abort', this.#onParentEnd, { once: true });
  }

  #waitUntil(deadline_at_ms: number): void {
    const left = Math.max(0, deadline_at_ms - this.#options.now());
    const wake = () => {
      if (left > LONGEST_TIMER_MS) this.#waitUntil(deadline_at_ms);
      else this.stop(TIMED_OUT);
    };
    this.#timer = setTimeout(wake, Math.min(left, LONGEST_TIMER_MS));
    this.#timer.unref();
  }

  stop(reason: Failure | true): void {
    if (this.#stop !== false) return;
    this.#stop = reason;
    this.#abort?.abort();
    this.#options.onStop();
  }

  /** Lets go of everything that could still act on the run. */
  close(given_up?: Error): void {
    this.#given_up = given_up;
    clearTimeout(this.#timer);
    this.#parent_signal?.removeEventListener('abort', this.#onParentEnd);
    this.#parent_signal = undefined;
    this.#abort?.abort(given_up);
  }

  /** A parent that continues elsewhere finds this run again, so it must continue too and not end as cancelled. */
  readonly #onParentEnd = (): void => {
    if (stopsTheRun(this.#parent_signal?.reason)) this.#options.onHandOver();
    else this.stop(true);
  };
}
