import type { RunExecutor } from './executor/run-executor.ts';

/** Runs that this process executes now and that outlived their first synchronous stretch. */
export interface LiveRuns {
  add(executor: RunExecutor): void;
  remove(executor: RunExecutor): void;
  get(run_id: string): RunExecutor | undefined;
  readonly all: Iterable<RunExecutor>;
  readonly size: number;
  /** Slots that runs of a workflow use, so that one workflow cannot take every one. */
  countOf(workflow_id: string): number;
  /** Runs that the run, or runs that it started, have started. */
  descendantsOf(root_run_id: string): number;
  /**
   * A run of the workflow only waits: its slot is free meanwhile. A run that it waits for may need it, and a thousand
   * timers are no work. The returned function takes it back.
   */
  lendSlot(workflow_id: string): () => void;
  /** Slots in use: runs that are worked on. */
  readonly busy: number;
  /** Resolves when there is none, or after the time. */
  settled(timeout_ms: number): Promise<boolean>;
}

/** A run that waits costs memory only (`bench/execute.bench.ts`), so this many times as many may be here as work. */
const WAITING_PER_SLOT = 10;

/** How many more runs may begin in a process that works on so many at once. */
export function roomFor({ busy, size }: Pick<LiveRuns, 'busy' | 'size'>, concurrency: number): number {
  return Math.min(concurrency - busy, concurrency * WAITING_PER_SLOT - size);
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  // Below zero for a moment when a run ends while its slot is lent.
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}

/** Whether those who wait are woken before the time is over. */
function wokenWithin(waiting: Set<() => void>, timeout_ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isWoken: boolean) => {
      clearTimeout(timer);
      waiting.delete(wake);
      resolve(isWoken);
    };
    const wake = () => end(true);
    const timer = setTimeout(() => end(false), timeout_ms);
    waiting.add(wake);
  });
}

export function createLiveRuns(): LiveRuns {
  const executors = new Map<string, RunExecutor>();
  const perWorkflow = new Map<string, number>();
  const perRoot = new Map<string, number>();
  const waiting = new Set<() => void>();
  let lent = 0;

  function count({ workflow_id, begin }: RunExecutor, by: 1 | -1): void {
    add(perWorkflow, workflow_id, by);
    if (begin.root_run_id !== null) add(perRoot, begin.root_run_id, by);
  }

  return {
    add(executor) {
      executors.set(executor.run_id, executor);
      count(executor, 1);
    },
    remove(executor) {
      if (!executors.delete(executor.run_id)) return;
      count(executor, -1);
      if (executors.size === 0) for (const wake of waiting) wake();
    },
    get: (run_id) => executors.get(run_id),
    get all() {
      return executors.values();
    },
    get size() {
      return executors.size;
    },
    get busy() {
      return Math.max(0, executors.size - lent);
    },
    lendSlot(workflow_id) {
      lent += 1;
      add(perWorkflow, workflow_id, -1);
      return () => {
        lent -= 1;
        add(perWorkflow, workflow_id, 1);
      };
    },
    countOf: (workflow_id) => perWorkflow.get(workflow_id) ?? 0,
    descendantsOf: (root_run_id) => perRoot.get(root_run_id) ?? 0,
    settled: (timeout_ms) =>
      executors.size === 0 ? Promise.resolve(true) : wokenWithin(waiting, timeout_ms),
  };
}
