/**
 * State that the thread that renews a lease shares with the main thread without messages, so that neither has to be
 * awake for the other to know. Times are nanoseconds of the monotonic clock, which all threads of a process share and
 * which keeps running while the process is stopped.
 */
export interface LeaseClock {
  readonly memory: SharedArrayBuffer;
  /** Until when effects are safe. */
  validUntil(): bigint;
  extend(until: bigint): void;
  isLost(): boolean;
  lose(): void;
}

const VALID_UNTIL = 0;
const LOST = 1;

export function leaseClock(memory = new SharedArrayBuffer(16)): LeaseClock {
  const cells = new BigInt64Array(memory);
  return {
    memory,
    validUntil: () => Atomics.load(cells, VALID_UNTIL),
    extend: (until) => void Atomics.store(cells, VALID_UNTIL, until),
    isLost: () => Atomics.load(cells, LOST) === 1n,
    lose: () => void Atomics.store(cells, LOST, 1n),
  };
}
