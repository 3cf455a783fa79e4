import type { Logger } from 'pino';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import { cancelTree, requestedCancels, runsLeftByParents } from '../store/queue/cancel.ts';
import { admitHeld, groupsToAdmit } from '../store/queue/places.ts';
import { type TakeoverResult, takeOver } from '../store/queue/requeue/takeover.ts';
import { decideForEndedChildren, listDecidedRuns, resumeDue } from '../store/waiting/waits.ts';
import { deleteOldWorkers } from '../store/workers.ts';
import { createErrorRuns, type ErrorRunsOptions } from './error-runs.ts';
import { createReleases, logGivenUp, type ReleasesOptions } from './releases.ts';
import type { UnleftPlaces } from './unleft-places.ts';

export interface SweeperOptions extends Omit<ReleasesOptions, 'sql'>, ErrorRunsOptions {
  /** No other process can be alive, so there is none to take over from while this one runs. */
  readonly sole_owner: boolean;
  readonly unleft: UnleftPlaces;
  readonly interval_ms: number;
  readonly onCancel: (run_id: string) => void;
  readonly onDecision: (run_id: string) => void;
}

export interface Sweeper {
  start(): void;
  stop(): Promise<void>;
}

/** Sweeps between two looks for runs that this process owns but does not execute. */
const STRAY_EVERY = 5;
/**
 * Sweeps between two looks for runs that ended without a word to those that wait for them, or that they started. Only a process
 * that is lost right after the end leaves them, so the first sweep of a process and each takeover look as well.
 */
const FAMILIES_EVERY = 30;
const DELETE_WORKERS_EVERY = 3_600;

export function logTakeover(log: Logger, { dead_workers, runs }: TakeoverResult): void {
  if (dead_workers.length > 0)
    log.warn({ workers: dead_workers }, 'processes were lost; their runs continue on others');
  logGivenUp(log, runs);
}

/** One thing that a sweep looks after. */
interface Duty {
  /** In the first sweep, and in every how many-th after it. */
  readonly every: number;
  work(): Promise<void>;
}

/** In this order: what is requeued first is claimed first. */
function listDuties(options: SweeperOptions): readonly Duty[] {
  const { sql, worker_id, log, onWake } = options;
  const releases = createReleases(options);
  const wakeFor = (runs: readonly unknown[]) => {
    if (runs.length > 0) onWake();
  };
  const tell = (receive: (run_id: string) => void, run_ids: readonly string[]) => {
    for (const run_id of run_ids) receive(run_id);
  };
  const followEnds = async () => {
    wakeFor(await decideForEndedChildren(sql));
    for (const run_id of await runsLeftByParents(sql)) await cancelTree(sql, run_id);
  };
  const takeOverRuns = async () => {
    const taken = await takeOver(sql);
    logTakeover(log, taken);
    wakeFor(taken.runs);
    if (taken.dead_workers.length > 0) await followEnds();
  };
  const admitHeldRuns = async () => {
    for (const group of await groupsToAdmit(sql)) if ((await admitHeld(sql, group)) > 0) onWake();
  };
  return [
    ...(options.sole_owner ? [] : [{ every: 1, work: takeOverRuns }]),
    { every: 1, work: async () => wakeFor(await resumeDue(sql)) },
    { every: 1, work: () => options.unleft.leaveMissed() },
    { every: 1, work: admitHeldRuns },
    { every: 1, work: async () => tell(options.onDecision, await listDecidedRuns(sql, worker_id)) },
    { every: FAMILIES_EVERY, work: followEnds },
    { every: 1, work: async () => tell(options.onCancel, await requestedCancels(sql, worker_id)) },
    { every: 1, work: () => releases.abandoned('handed_over') },
    { every: 1, work: () => releases.abandoned('failed') },
    { every: STRAY_EVERY, work: () => releases.strays() },
    { every: 1, work: createErrorRuns(options) },
    { every: DELETE_WORKERS_EVERY, work: () => deleteOldWorkers(sql) },
  ];
}

/**
 * The backstop for everything that a hint may have missed: lost processes, due waits, decisions, cancellations, and runs
 * that this process owns without executing them.
 */
export function createSweeper(options: SweeperOptions): Sweeper {
  const { log } = options;
  const duties = listDuties(options);
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();
  let stopped = true;
  let sweeps = 0;

  /** A duty that fails keeps no other one from being done, unless nothing can be done. */
  async function sweep(): Promise<void> {
    const number = sweeps++;
    for (const { every, work } of duties) {
      if (number % every !== 0) continue;
      try {
        await work();
      } catch (error) {
        log.warn({ err: error }, 'the sweep of runs failed; trying again');
        if (isConnectionLoss(error)) return;
      }
    }
  }

  function schedule(): void {
    if (stopped) return;
    // Chance keeps processes that started together from sweeping together.
    timer = setTimeout(run, options.interval_ms * (0.75 + Math.random() / 2));
    timer.unref();
  }

  function run(): void {
    underWay = sweep().finally(schedule);
  }

  return {
    start() {
      stopped = false;
      schedule();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
