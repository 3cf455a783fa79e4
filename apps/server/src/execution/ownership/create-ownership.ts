import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import type { Broadcast } from '../../ports/broadcast.ts';
import type { Lease } from '../../ports/lease.ts';
import { faultPoint } from '../journal/fault-point.ts';
import { isTransient } from '../journal/faults.ts';
import { ENGINE_VERSION } from '../journal/tables.ts';
import { cancelTree } from './cancel.ts';
import { claimRuns, releaseRuns } from './claim.ts';
import { enqueueRun } from './enqueue.ts';
import type { Ownership } from './ownership.ts';
import { createSweeper, logTakeover } from './sweeper.ts';
import { takeOver } from './takeover.ts';
import { decideWait } from './waits.ts';

export interface OwnershipOptions {
  readonly database: Database;
  readonly broadcast: Broadcast;
  readonly log: Logger;
  readonly worker_id: string;
  readonly lease_ms: number;
  /** A process whose main thread is stuck for so long is ended; absent: it is not. */
  readonly stuck_ms?: number;
  /** How often it is looked for what hints have missed; absent: every second, and four times per lease at least. */
  readonly sweep_ms?: number;
  /** Whether this process executes the run; the journal knows. */
  readonly holds: (run_id: string) => boolean;
}

/** Ownership, and the ways in for a journal that finds the lease gone or a run without its runner. */
export interface FencedOwnership extends Ownership {
  fence(): void;
  /** Releases a run whose runner has stopped, as soon as the database answers. */
  giveBack(run_id: string): void;
}

const SWEEP_MS = 1_000;
/** A claimed run has this long until its runner has read it. */
const CLAIM_GRACE_MS = 30_000;
/** Until its first renewal a process that starts has at least this long; it owns nothing yet. */
const START_SECONDS = 15;
/** As long as the journal lets its callers wait. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 100;

/** Repeats a statement that can be repeated when its answer was lost. */
async function persist<T>(statement: () => Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (performance.now() > until || !isTransient(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** Calls everybody; who comes in or leaves meanwhile does not matter. */
function createSignal<Args extends unknown[]>() {
  const receivers = new Set<(...args: Args) => void>();
  return {
    send: (...args: Args) => {
      for (const receive of Array.from(receivers)) receive(...args);
    },
    receive: (receive: (...args: Args) => void) => {
      receivers.add(receive);
      return () => void receivers.delete(receive);
    },
  };
}

export function createOwnership(options: OwnershipOptions): FencedOwnership {
  const { database, broadcast, log, worker_id, lease_ms } = options;
  const sql = database.journal;
  const sole_owner = database.kind === 'embedded';
  const fenced = createSignal<[]>();
  const cancels = createSignal<[run_id: string]>();
  const wakes = createSignal<[]>();
  const claimedAt = new Map<string, number>();
  const subscriptions: (() => void)[] = [];
  let lease: Lease | undefined;
  let is_fenced = false;

  function fence(): void {
    if (is_fenced) return;
    is_fenced = true;
    fenced.send();
  }

  function holds(run_id: string): boolean {
    if (options.holds(run_id)) return true;
    const at = claimedAt.get(run_id);
    return at !== undefined && performance.now() - at < CLAIM_GRACE_MS;
  }

  /** Runs that nobody executes here any more; `release` has yet to say so to the others. */
  const stopped = new Set<string>();

  function giveBack(run_id: string): void {
    claimedAt.delete(run_id);
    stopped.add(run_id);
  }

  function wake(run_id: string): void {
    wakes.send();
    broadcast.publish('wake', run_id);
  }

  const sweeper = createSweeper({
    sql,
    worker_id,
    sole_owner,
    interval_ms: options.sweep_ms ?? Math.min(SWEEP_MS, lease_ms / 4),
    log,
    holds,
    stopped,
    release: async (run_ids) => {
      await releaseRuns(sql, worker_id, run_ids);
      wakes.send();
    },
    onCancel: cancels.send,
    onWake: wakes.send,
  });

  async function register(): Promise<void> {
    await sql.query({
      text: `INSERT INTO workers (id, host, lease_until, engine_version)
        VALUES ($1, $2, now() + make_interval(secs => $3), $4)`,
      values: [
        worker_id,
        `${hostname()}:${process.pid}`,
        Math.max(START_SECONDS, lease_ms / 1000),
        ENGINE_VERSION,
      ],
    });
  }

  async function start(): Promise<void> {
    await register();
    logTakeover(log, await takeOver(sql, sole_owner ? worker_id : undefined));
    lease = await database.keepLease({
      worker_id,
      lease_ms,
      ...(options.stuck_ms === undefined ? {} : { stuck_ms: options.stuck_ms }),
    });
    lease.onLost(fence);
    subscriptions.push(
      broadcast.subscribe('cancel', cancels.send),
      broadcast.subscribe('wake', () => wakes.send()),
    );
    sweeper.start();
  }

  async function stop(): Promise<void> {
    for (const unsubscribe of subscriptions.splice(0)) unsubscribe();
    await sweeper.stop();
    if (!is_fenced) {
      const given_back = await persist(() => releaseRuns(sql, worker_id));
      await persist(() =>
        sql.query({ text: 'UPDATE workers SET alive = false WHERE id = $1', values: [worker_id] }),
      );
      if (given_back > 0) broadcast.publish('wake', worker_id);
    }
    await lease?.stop();
  }

  return {
    worker_id,
    start,
    stop,
    fence,
    giveBack,
    leaseIsSafe: () => !is_fenced && (lease?.isSafe() ?? false),
    onFenced: (receive) => void fenced.receive(receive),
    onCancel: cancels.receive,
    onWake: wakes.receive,
    async claim(limit, busy_workflows = []) {
      if (is_fenced || limit <= 0) return [];
      const claimed = await claimRuns(sql, { worker_id, limit, busy_workflows });
      const now = performance.now();
      for (const [run_id, at] of claimedAt) if (now - at > CLAIM_GRACE_MS) claimedAt.delete(run_id);
      for (const { run_id } of claimed) claimedAt.set(run_id, now);
      if (claimed.length > 0) faultPoint('after_claim');
      return claimed;
    },
    async enqueue(run, claim) {
      const result = await persist(() => enqueueRun(sql, { run, claim }));
      faultPoint('after_accept');
      if (result.kind === 'queued') wake(run.run_id);
      return result;
    },
    async release(run_ids) {
      for (const run_id of run_ids) claimedAt.delete(run_id);
      if ((await persist(() => releaseRuns(sql, worker_id, run_ids))) > 0) wake(worker_id);
    },
    async requestCancel(run_id) {
      const { running, ended, known } = await persist(() => cancelTree(sql, run_id));
      for (const id of running) broadcast.publish('cancel', id);
      for (const id of ended) broadcast.publish('run_moved', id);
      if (running.length + ended.length > 0) return 'requested';
      return known ? 'finished' : 'unknown';
    },
    async resume(run_id, decision) {
      const result = await persist(() => decideWait(sql, run_id, decision));
      faultPoint('after_decision');
      if (result === 'resumed') wake(run_id);
      return result;
    },
  };
}
