import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SqlClient } from '../../database/sql-client.ts';
import { commitBatch } from './commit.ts';
import { faultPoint } from './fault-point.ts';
import { Fenced, JournalUnavailable } from './journal.ts';
import type { Operation } from './operations.ts';

/** Bounds of one statement. */
const MAX_OPERATIONS = 256;
const MAX_CHARACTERS = 1024 * 1024;
/** A commit waits no longer for company once it has so many operations: more of them together cost hardly less each. */
const ENOUGH_TOGETHER = 64;
/** How long a fact that nobody waits for may stay in memory when no commit comes along. */
const LINGER_MS = 100;
/** After this long without a commit, callers hear that the journal is unavailable; it goes on trying. */
const ANSWER_WITHIN_MS = 5_000;

export interface LaneOptions {
  readonly sql: SqlClient;
  readonly worker_id: string;
  /** False only in the crash harness. */
  readonly fenced: boolean;
  readonly log: Logger;
  readonly counters: Counters;
  onFenced(): void;
}

export interface Counters {
  commits: number;
  records: number;
  retries: number;
  dropped_notes: number;
  pending: number;
  pending_bytes: number;
}

/** One writer: commits what has come in while the former commit was under way. Order of operations is kept. */
export interface Lane {
  /** `now`: start a commit in the next turn of the event loop; otherwise ride the next one, at the latest after 100 ms. */
  push(operation: Operation, now: boolean): void;
  /** How much is waiting or under way. */
  readonly load: number;
  /** Resolves when nothing is. */
  idle(): Promise<void>;
}

export function createLane(options: LaneOptions): Lane {
  const { counters } = options;
  let queue: Operation[] = [];
  let running = false;
  let fenced = false;
  let linger: NodeJS.Timeout | undefined;
  let underWay = 0;
  let idleWaiters: (() => void)[] = [];

  /**
   * The next batch. One statement does not see the rows that it inserts itself, so the end of a run whose row is in the
   * batch waits for the next one, and whatever came behind it for the same run too.
   */
  function take(): Operation[] {
    const taken: Operation[] = [];
    const left: Operation[] = [];
    const inserted = new Set<string>();
    const held_back = new Set<string>();
    let characters = 0;
    let next = 0;
    for (; taken.length < MAX_OPERATIONS && characters < MAX_CHARACTERS; next++) {
      const operation = queue[next];
      if (!operation) break;
      const { run_id, kind } = operation;
      if (held_back.has(run_id) || (kind === 'end' && inserted.has(run_id))) {
        held_back.add(run_id);
        left.push(operation);
        continue;
      }
      if (kind === 'insert' && !operation.absorbed) inserted.add(run_id);
      characters += operation.size;
      operation.taken = true;
      taken.push(operation);
    }
    queue = next >= queue.length ? left : [...left, ...queue.slice(next)];
    release(taken);
    return taken.filter((operation) => !operation.absorbed);
  }

  function release(operations: readonly Operation[]): void {
    counters.pending -= operations.length;
    for (const { size } of operations) counters.pending_bytes -= size;
  }

  function rejectAll(operations: readonly Operation[], failure: Fenced | JournalUnavailable): void {
    for (const { waiter } of operations) waiter?.reject(failure);
  }

  function fence(operations: readonly Operation[]): void {
    fenced = true;
    rejectAll(operations, new Fenced());
    rejectAll(queue, new Fenced());
    release(queue);
    queue = [];
    options.onFenced();
  }

  async function commit(operations: Operation[]): Promise<void> {
    const startedAt = performance.now();
    const outcome = await commitBatch(options, operations, (error) => {
      counters.retries += 1;
      if (performance.now() - startedAt < ANSWER_WITHIN_MS) return;
      const failure = new JournalUnavailable(error);
      rejectAll(operations, failure);
      rejectAll(queue, failure);
    });
    if (outcome === 'fenced') fence(operations);
  }

  /** Lets the event loop turn for as long as each turn brings more: callers that come together share a commit. */
  async function gather(): Promise<void> {
    for (let before = 0; before < queue.length && queue.length < ENOUGH_TOGETHER; ) {
      before = queue.length;
      await turn();
    }
  }

  async function run(): Promise<void> {
    while (queue.length > 0) {
      await gather();
      const operations = take();
      if (operations.length === 0) continue;
      underWay = operations.length;
      counters.commits += 1;
      counters.records += operations.length;
      faultPoint('before_commit');
      await commit(operations);
      faultPoint('after_commit');
      underWay = 0;
    }
    running = false;
    const waiters = idleWaiters;
    idleWaiters = [];
    for (const done of waiters) done();
  }

  function start(): void {
    clearTimeout(linger);
    linger = undefined;
    if (running || queue.length === 0) return;
    running = true;
    run().catch((error: unknown) => {
      // A bug: nothing that a batch does may reach here. The callers must not wait for ever.
      running = false;
      options.log.error({ err: error }, 'the journal failed');
      rejectAll(queue, new JournalUnavailable(error));
    });
  }

  return {
    push(operation, now) {
      if (fenced) return operation.waiter?.reject(new Fenced());
      queue.push(operation);
      counters.pending += 1;
      counters.pending_bytes += operation.size;
      if (now) start();
      else if (!running && linger === undefined) linger = setTimeout(start, LINGER_MS);
    },
    get load() {
      return queue.length + underWay;
    },
    idle() {
      if (!running && queue.length === 0) return Promise.resolve();
      start();
      return new Promise((resolve) => idleWaiters.push(resolve));
    },
  };
}
