import { totalmem } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

export interface Pressure {
  /** The event loop is so late, or memory so short, that new work would only make all work slower. */
  readonly is_high: boolean;
  stop(): void;
}

export interface PressureGauges {
  /** Mean delay of the event loop since the last look, in milliseconds. */
  readonly delay: () => number;
  /** Share of the memory that is in use, of objects or of everything, whichever is larger. */
  readonly memory: () => number;
}

const LOOK_EVERY_MS = 500;
const TOO_LATE_MS = 500;
/** Memory that the collector may still free is part of it, so a single look says little. */
const TOO_FULL = 0.9;
/** One long pause is not pressure; several in a row are. */
const LOOKS_IN_A_ROW = 4;
const NANOSECONDS = 1_000_000;

/** Bytes that the process may have: what its container allows, else what the machine has. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}

/**
 * Buffers live outside of the heap of objects, so both are looked at: objects against the heap's limit, everything that
 * lives against the process'. What the allocator keeps but nothing uses does not count.
 */
export function memoryShare(limit = memoryLimit()): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return Math.max(
    used_heap_size / heap_size_limit,
    (used_heap_size + process.memoryUsage().external) / limit,
  );
}

export function watchPressure(gauges?: PressureGauges): Pressure {
  const histogram = monitorEventLoopDelay({ resolution: 20 });
  histogram.enable();
  const delay = gauges?.delay ?? (() => histogram.mean / NANOSECONDS);
  const limit = memoryLimit();
  const memory = gauges?.memory ?? (() => memoryShare(limit));
  let late = 0;
  let full = 0;
  const timer = setInterval(() => {
    late = delay() > TOO_LATE_MS ? late + 1 : 0;
    full = memory() > TOO_FULL ? full + 1 : 0;
    histogram.reset();
  }, LOOK_EVERY_MS);
  timer.unref();
  return {
    get is_high() {
      return Math.max(late, full) >= LOOKS_IN_A_ROW;
    },
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
