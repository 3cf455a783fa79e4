import type { NodeStarted } from '@millrace/engine';
import type { RunBegin } from '../model/run.ts';
import type { StepRecord } from '../model/step.ts';
import type { RunObserver } from '../stream/frame-log.ts';
import type { RunHandle } from './start/run-request.ts';

/** A run that this process executes, as those see it who follow, end or await it. */
export interface LiveRun extends RunHandle {
  readonly workflow_id: string;
  readonly begin: RunBegin;
  /** Rows so far, masked. */
  readonly records: readonly StepRecord[];
  /** Nodes under way. */
  readonly running: readonly NodeStarted[];
  /** Shows the frames so far and those that follow; the returned function ends that. */
  observe(observer: RunObserver): () => void;
  /** Decisions of its waits may have come. */
  lookAtWaits(): void;
  /** Stops without an outcome: the run continues elsewhere, from its last durable fact. */
  handOver(): void;
}

/** Runs that this process executes now and that outlived their first synchronous stretch. */
export interface LiveRuns {
  add(run: LiveRun): void;
  remove(run: LiveRun): void;
  get(run_id: string): LiveRun | undefined;
  readonly all: Iterable<LiveRun>;
  readonly size: number;
  /** The number of slots that runs of a workflow use, so that one workflow cannot take every one. */
  countSlots(workflow_id: string): number;
  /** The number of runs that the run, or runs that it started, have started. */
  countDescendants(root_run_id: string): number;
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
  const runs = new Map<string, LiveRun>();
  const perWorkflow = new Map<string, number>();
  const perRoot = new Map<string, number>();
  const waiting = new Set<() => void>();
  let lent = 0;

  function count({ workflow_id, begin }: LiveRun, by: 1 | -1): void {
    add(perWorkflow, workflow_id, by);
    if (begin.root_run_id !== null) add(perRoot, begin.root_run_id, by);
  }

  return {
    add(run) {
      runs.set(run.run_id, run);
      count(run, 1);
    },
    remove(run) {
      if (!runs.delete(run.run_id)) return;
      count(run, -1);
      if (runs.size === 0) for (const wake of waiting) wake();
    },
    get: (run_id) => runs.get(run_id),
    get all() {
      return runs.values();
    },
    get size() {
      return runs.size;
    },
    get busy() {
      return Math.max(0, runs.size - lent);
    },
    lendSlot(workflow_id) {
      lent += 1;
      add(perWorkflow, workflow_id, -1);
      return () => {
        lent -= 1;
        add(perWorkflow, workflow_id, 1);
      };
    },
    countSlots: (workflow_id) => perWorkflow.get(workflow_id) ?? 0,
    countDescendants: (root_run_id) => perRoot.get(root_run_id) ?? 0,
    settled: (timeout_ms) => (runs.size === 0 ? Promise.resolve(true) : wokenWithin(waiting, timeout_ms)),
  };
}
