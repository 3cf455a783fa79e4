import { setImmediate as turn } from 'node:timers/promises';
import { MEGABYTE } from '@millrace/engine/units';
import { faultPoint } from '../../../core/fault-point.ts';
import { Fenced, JournalUnavailable } from '../../model/errors.ts';
import type { Operation } from '../operations.ts';
import { ANSWER_WITHIN_MS, type CommitterOptions, createCommitter, rejectAll } from './committer.ts';
import { type Counters, createCounters } from './counters.ts';
import { LaneQueue } from './lane-queue.ts';
import { createRefusals } from './refusals.ts';

/** A commit waits no longer for company once it has so many operations: more of them together cost hardly less each. */
const ENOUGH_TOGETHER = 64;
/** How long a fact that nothing waits for may stay in memory when no commit comes along. */
const LINGER_MS = 100;
const LOOK_EVERY_MS = 1_000;

/** Above this, new runs are refused and history rows of refused calls are dropped. */
const MAX_PENDING_BYTES = 8 * MEGABYTE;
const MAX_PENDING = 20_000;

export interface LaneOptions extends Omit<CommitterOptions, 'refusals' | 'waiting' | 'counters'> {
  onFenced(): void;
}

/** The writer of this process: commits what has come in while the former commit was under way. Order of operations is kept. */
export interface Lane {
  /** `now`: start a commit in the next turn of the event loop; otherwise ride the next one, at the latest after 100 ms. */
  push(operation: Operation, now: boolean): void;
  /** Whether new runs may come. */
  hasRoom(): boolean;
  /** How long the commit under way has been tried; 0 when there is none. */
  readonly commit_ms: number;
  /** A commit has been tried for so long that callers are turned away. */
  readonly is_stalled: boolean;
  readonly counters: Counters;
  /** A runner has let go of the run; what was refused of it no longer matters. */
  closeRun(run_id: string): void;
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>;
}

/** Lets the event loop turn for as long as each turn brings more: callers that come together share a commit. */
async function gather(queue: LaneQueue): Promise<void> {
  for (let before = 0; before < queue.length && queue.length < ENOUGH_TOGETHER; ) {
    before = queue.length;
    await turn();
  }
}

/** Starts work when there is some, never twice at once, and resolves the waiters at its end. */
interface Worker {
  /** In the next turn of the event loop. */
  start(): void;
  /** At the latest after 100 ms. */
  startSoon(): void;
  idle(): Promise<void>;
}

interface Work {
  hasWork(): boolean;
  /** Must not reject. */
  run(): Promise<void>;
}

function createWorker({ hasWork, run }: Work): Worker {
  let running = false;
  let linger: NodeJS.Timeout | undefined;
  let idleWaiters: (() => void)[] = [];

  function start(): void {
    clearTimeout(linger);
    linger = undefined;
    if (running || !hasWork()) return;
    running = true;
    void run().finally(() => {
      running = false;
      const waiters = idleWaiters;
      idleWaiters = [];
      for (const done of waiters) done();
      start();
    });
  }

  return {
    start,
    startSoon() {
      if (!running && linger === undefined) linger = setTimeout(start, LINGER_MS);
    },
    idle() {
      if (!running && !hasWork()) return Promise.resolve();
      start();
      return new Promise((resolve) => idleWaiters.push(resolve));
    },
  };
}

async function whileWatched(
  { reportDelay }: Pick<ReturnType<typeof createCommitter>, 'reportDelay'>,
  work: Promise<void>,
): Promise<void> {
  const watch = setInterval(reportDelay, LOOK_EVERY_MS);
  watch.unref();
  await work.finally(() => clearInterval(watch));
}

const isFull = ({ pending, pending_bytes }: Counters): boolean =>
  pending >= MAX_PENDING || pending_bytes >= MAX_PENDING_BYTES;

export function createLane({ onFenced, ...given }: LaneOptions): Lane {
  const counters = createCounters();
  const options = { ...given, counters };
  const refusals = createRefusals(options);
  const queue = new LaneQueue({ counters, refusals });
  const committer = createCommitter({ ...options, refusals, waiting: () => queue.all });
  let fenced = false;

  function fence(operations: readonly Operation[]): void {
    fenced = true;
    rejectAll(operations, new Fenced());
    rejectAll(queue.takeAll(), new Fenced());
    onFenced();
  }

  async function commitAll(): Promise<void> {
    while (queue.length > 0) {
      await gather(queue);
      const operations = queue.takeBatch();
      if (operations.length === 0) continue;
      if ((await committer.commit(operations)) === 'fenced') fence(operations);
      faultPoint('after_commit');
    }
  }

  /** A bug, or a fault point of a test: nothing that a batch does may reach here. No caller may wait for ever. */
  function abort(error: unknown): void {
    given.log.error({ err: error }, 'the journal failed');
    const failure = new JournalUnavailable(error);
    committer.abort(failure);
    rejectAll(queue.takeAll(), failure);
  }

  const worker = createWorker({
    hasWork: () => queue.length > 0,
    run: () => whileWatched(committer, commitAll().catch(abort)),
  });

  const isStalled = () => committer.commit_ms >= ANSWER_WITHIN_MS;

  return {
    push(operation, now) {
      if (fenced) return operation.waiter?.reject(new Fenced());
      // Also of a run of which something was refused: it is refused in its turn, when nothing of the run is under way any more.
      queue.push(operation);
      if (now) worker.start();
      else worker.startSoon();
    },
    hasRoom: () => !isStalled() && !isFull(counters),
    get commit_ms() {
      return committer.commit_ms;
    },
    get is_stalled() {
      return isStalled();
    },
    counters,
    closeRun: refusals.forget,
    idle: worker.idle,
  };
}
