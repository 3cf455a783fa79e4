export interface Autosave {
  /** Something changed that is not saved yet. */
  changed(): void;
  /** Saves without waiting any longer. */
  now(): void;
  /** Leaves saving to the person until `release`: two people changed the same place. */
  hold(): void;
  release(): void;
  close(): void;
}

interface AutosaveOptions {
  /** False when it could not be saved. */
  readonly save: () => Promise<boolean>;
  readonly idle_ms?: number;
  readonly most_ms?: number;
}

const IDLE_MS = 800;
const MOST_MS = 4_000;
/** Waits after failures in a row; the last one repeats. */
const RETRY_MS = [2_000, 5_000, 15_000] as const;

/**
 * Saves `idle_ms` after the last change, and while changes keep coming at the latest after `most_ms`. What could not be
 * saved is tried again.
 */
export function createAutosave({ save, idle_ms = IDLE_MS, most_ms = MOST_MS }: AutosaveOptions): Autosave {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first_at: number | undefined;
  let failures = 0;
  let held = false;
  let closed = false;

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
    first_at = undefined;
  }

  async function run(): Promise<void> {
    stop();
    const saved = await save();
    if (saved) failures = 0;
    else if (!held && !closed && timer === undefined) {
      timer = setTimeout(() => void run(), RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
      failures += 1;
    }
  }

  return {
    changed() {
      if (held || closed) return;
      const now = Date.now();
      first_at ??= now;
      clearTimeout(timer);
      timer = setTimeout(() => void run(), Math.max(0, Math.min(idle_ms, first_at + most_ms - now)));
    },
    now() {
      if (!held && !closed) void run();
    },
    hold() {
      held = true;
      stop();
    },
    release() {
      held = false;
    },
    close() {
      closed = true;
      stop();
    },
  };
}
