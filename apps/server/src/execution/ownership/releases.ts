import type { Logger } from 'pino';
import type { SqlClient } from '../../database/sql-client.ts';
import type { AbandonReason } from '../model/run.ts';
import { runsOwnedBy } from '../store/lookups.ts';
import type { JudgedRun } from '../store/queue/requeue/give-up.ts';
import { releaseRuns } from '../store/queue/requeue/release.ts';
import type { HeldRuns } from './held-runs.ts';

export interface ReleasesOptions {
  readonly sql: SqlClient;
  readonly worker_id: string;
  readonly log: Logger;
  readonly held: HeldRuns;
  /** Runs are claimable again. */
  readonly onWake: () => void;
}

/** Gives back runs that this process owns and does not execute. */
export interface Releases {
  abandoned(why: AbandonReason): Promise<void>;
  /** Runs that were already without a runner at the last look. */
  strays(): Promise<void>;
}

export function logGivenUp(log: Logger, runs: readonly JudgedRun[]): void {
  for (const { run_id, verdict } of runs) {
    if (verdict === 'parked') log.error({ run_id }, 'a run was given up because it made no progress');
  }
}

export function createReleases({ sql, worker_id, log, held, onWake }: ReleasesOptions): Releases {
  let suspects = new Set<string>();

  async function release(run_ids: readonly string[], why: AbandonReason): Promise<void> {
    logGivenUp(log, await releaseRuns(sql, { worker_id, run_ids, why }));
    onWake();
  }

  return {
    async abandoned(why) {
      // Taken before the release: from then on this process may claim the run again, and abandon it again.
      const run_ids = held.takeAbandoned(why);
      if (run_ids.length === 0) return;
      try {
        await release(run_ids, why);
      } catch (error) {
        for (const id of run_ids) held.abandon(id, why);
        throw error;
      }
    },
    async strays() {
      const without = (await runsOwnedBy(sql, worker_id)).filter((id) => !held.holds(id));
      const strays = without.filter((id) => suspects.has(id));
      suspects = new Set(without);
      if (strays.length === 0) return;
      log.warn({ runs: strays }, 'runs without a runner are requeued');
      await release(strays, 'failed');
    },
  };
}
