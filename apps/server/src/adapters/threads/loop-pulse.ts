/**
 * Whether the main thread's event loop turns, for other threads to see without a message. Time is nanoseconds of the
 * monotonic clock, which all threads of a process share.
 */
export interface LoopPulse {
  readonly memory: SharedArrayBuffer;
  /** When the event loop last turned. */
  lastTurn(): bigint;
  turn(): void;
}

export function loopPulse(memory = new SharedArrayBuffer(8)): LoopPulse {
  const cell = new BigInt64Array(memory);
  return {
    memory,
    lastTurn: () => Atomics.load(cell, 0),
    turn: () => void Atomics.store(cell, 0, process.hrtime.bigint()),
  };
}

/** Shows from now on that this thread's event loop turns. The returned function ends it. */
export function showPulse(pulse: LoopPulse, every_ms: number): () => void {
  pulse.turn();
  const turns = setInterval(pulse.turn, every_ms);
  turns.unref();
  return () => clearInterval(turns);
}
