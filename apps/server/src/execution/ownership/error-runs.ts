import { isConnectionLoss } from '../../database/connection-loss.ts';
import type { TransactionalSql } from '../../database/sql-client.ts';
import { runsToReport, storeErrorRun } from '../store/error-runs.ts';
import type { MakeErrorRun } from './ownership.ts';
import type { ReleasesOptions } from './releases.ts';

export interface ErrorRunsOptions extends Pick<ReleasesOptions, 'log' | 'onWake'> {
  readonly sql: TransactionalSql;
  /** Undefined until it is set: nothing is started then. */
  readonly makeErrorRun: () => MakeErrorRun | undefined;
}

/** Starts the error workflows of runs that were given up, whichever process did that. */
export async function startErrorRuns({ sql, log, onWake, makeErrorRun }: ErrorRunsOptions): Promise<void> {
  const make = makeErrorRun();
  if (!make) return;
  for (const given_up of await runsToReport(sql)) {
    const { run_id } = given_up;
    try {
      if (await storeErrorRun(sql, run_id, await make(given_up))) onWake();
    } catch (error) {
      if (isConnectionLoss(error)) throw error;
      log.warn({ err: error, run_id }, 'the error workflow could not be started; trying again');
    }
  }
}
