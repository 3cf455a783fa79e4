import type { Logger } from 'pino';
import type { SqlClient } from '../../database/sql-client.ts';
import { requestedCancels } from './cancel.ts';
import { type TakeoverResult, takeOver } from './takeover.ts';
import { resumeDue } from './waits.ts';

export interface SweeperOptions {
  readonly sql: SqlClient;
  readonly worker_id: string;
  /** No other process can be alive, so there is nobody to take over from while this one runs. */
  readonly sole_owner: boolean;
  readonly interval_ms: number;
  readonly log: Logger;
  /** Whether this process executes the run, or is about to. */
  readonly holds: (run_id: string) => boolean;
  /** Runs whose runner has stopped here; the sweeper takes out what it has released. */
  readonly stopped: Set<string>;
  readonly release: (run_ids: readonly string[]) => Promise<void>;
  readonly onCancel: (run_id: string) => void;
  readonly onWake: () => void;
}

export interface Sweeper {
  start(): void;
  stop(): Promise<void>;
}

/** Sweeps between two looks for runs that this process owns but does not execute. */
const STRAY_EVERY = 5;
/** Rows of workers that are gone are kept this long, for whoever asks what happened. */
const FORGET_WORKERS = `DELETE FROM workers WHERE NOT alive AND lease_until < now() - interval '1 day'
  AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.owner = workers.id AND runs.state = 1)`;
const FORGET_EVERY = 3_600;

export function logTakeover(log: Logger, { dead_workers, runs }: TakeoverResult): void {
  if (dead_workers.length > 0)
    log.warn({ workers: dead_workers }, 'processes were lost; their runs go on elsewhere');
  for (const { run_id, verdict } of runs) {
    if (verdict === 'parked')
      log.error({ run_id }, 'a run was given up because its process was lost repeatedly');
  }
}

/**
 * The backstop for everything that a hint may have missed: lost processes, due waits, decisions, cancellations, and runs
 * that this process owns without executing them.
 */
export function createSweeper(options: SweeperOptions): Sweeper {
  const { sql, worker_id, log } = options;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();
  let stopped = true;
  let sweeps = 0;
  let suspects = new Set<string>();

  async function releaseStopped(): Promise<void> {
    const { stopped: given_up } = options;
    const run_ids = [...given_up].filter((id) => !options.holds(id));
    if (run_ids.length === 0) return;
    // Before it is released: then this process may have it again, and may give it back again.
    for (const id of run_ids) given_up.delete(id);
    try {
      await options.release(run_ids);
    } catch (error) {
      for (const id of run_ids) given_up.add(id);
      throw error;
    }
  }

  /** A run that was already without a runner at the last look goes back to the queue. */
  async function releaseStrays(): Promise<void> {
    const { rows } = await sql.query<{ id: string }>({
      name: 'owned_runs',
      text: 'SELECT id FROM runs WHERE state = 1 AND owner = $1',
      values: [worker_id],
    });
    const without = rows.map(({ id }) => id).filter((id) => !options.holds(id));
    const strays = without.filter((id) => suspects.has(id));
    suspects = new Set(without);
    if (strays.length === 0) return;
    log.warn({ runs: strays }, 'runs without a runner go back to the queue');
    await options.release(strays);
  }

  async function sweep(): Promise<void> {
    sweeps += 1;
    if (!options.sole_owner) {
      const taken = await takeOver(sql);
      logTakeover(log, taken);
      if (taken.runs.length > 0) options.onWake();
    }
    if ((await resumeDue(sql)).length > 0) options.onWake();
    for (const run_id of await requestedCancels(sql, worker_id)) options.onCancel(run_id);
    await releaseStopped();
    if (sweeps % STRAY_EVERY === 0) await releaseStrays();
    if (sweeps % FORGET_EVERY === 0) await sql.query({ text: FORGET_WORKERS });
  }

  function schedule(): void {
    if (stopped) return;
    // Chance keeps processes that started together from sweeping together.
    timer = setTimeout(run, options.interval_ms * (0.75 + Math.random() / 2));
    timer.unref();
  }

  function run(): void {
    underWay = sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'looking after runs failed; trying again'))
      .finally(schedule);
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
