import type { HostedTrigger } from '../hosted-trigger.ts';

const SHORTEST_MS = 1_000;
/** Well within the grace time, so that nothing that was due is left out for the pause alone. */
const LONGEST_MS = 60_000;

interface Pause {
  readonly epoch: number;
  readonly failures: number;
  readonly until_ms: number;
}

type Trigger = Pick<HostedTrigger, 'id' | 'epoch'>;

/** Triggers of this process that failed: each failure in a row doubles the time until they are tried again. */
export class FailurePauses {
  readonly #pauses = new Map<string, Pause>();

  /** How many triggers have failed last, whether or not their pause is over. */
  get size(): number {
    return this.#pauses.size;
  }

  /** A trigger that was changed is tried at once. */
  isOver({ id, epoch }: Trigger, now_ms: number): boolean {
    const pause = this.#pauses.get(id);
    if (pause === undefined) return true;
    // More than that is left where the clock was set back.
    const rest_ms = pause.until_ms - now_ms;
    return pause.epoch !== epoch || rest_ms <= 0 || rest_ms > LONGEST_MS;
  }

  begin({ id, epoch }: Trigger, now_ms: number): void {
    const earlier = this.#pauses.get(id);
    const failures = earlier?.epoch === epoch ? earlier.failures + 1 : 1;
    const pause_ms = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.min(failures, 10));
    this.#forget(now_ms);
    this.#pauses.set(id, { epoch, failures, until_ms: now_ms + pause_ms });
  }

  /** One that still fails here has begun a pause since. */
  #forget(now_ms: number): void {
    for (const [id, { until_ms }] of this.#pauses)
      if (now_ms - until_ms > LONGEST_MS) this.#pauses.delete(id);
  }

  end({ id }: Trigger): void {
    this.#pauses.delete(id);
  }
}
