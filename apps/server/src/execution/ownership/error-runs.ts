import { isConnectionLoss } from '../../database/connection-loss.ts';
import type { TransactionalSql } from '../../database/sql-client.ts';
import { MOST_REPORTS, runsToReport, storeErrorRun } from '../store/error-runs.ts';
import type { MakeErrorRun } from './ownership.ts';
import type { ReleasesOptions } from './releases.ts';

export interface ErrorRunsOptions extends Pick<ReleasesOptions, 'log' | 'onWake'> {
  readonly sql: TransactionalSql;
  /** Undefined until it is set: nothing is started then. */
  readonly makeErrorRun: () => MakeErrorRun | undefined;
}

/**
 * Starts the error workflows of runs that were given up by any process. A sweep begins behind the last one where that was
 * full, so that runs whose error workflow cannot be started do not block those of other runs.
 *
 * @returns one sweep
 */
export function createErrorRuns({ sql, log, onWake, makeErrorRun }: ErrorRunsOptions): () => Promise<void> {
  let after: string | undefined;
  return async () => {
    const make = makeErrorRun();
    if (!make) return;
    const given_up_runs = await runsToReport(sql, after);
    for (const given_up of given_up_runs) {
      const { run_id } = given_up;
      try {
        if (await storeErrorRun(sql, run_id, await make(given_up))) onWake();
      } catch (error) {
        if (isConnectionLoss(error)) throw error;
        log.warn({ err: error, run_id }, 'the error workflow could not be started; trying again');
      }
    }
    after = given_up_runs.length < MOST_REPORTS ? undefined : given_up_runs.at(-1)?.run_id;
  };
}
