import { isConnectionLoss } from '../../database/connection-loss.ts';
import type { TransactionalSql } from '../../database/sql-client.ts';
import { MOST_REPORTS, runsToReport, storeErrorRun } from '../store/error-runs.ts';
import type { MakeErrorRun } from './ownership.ts';
import type { ReleasesOptions } from './releases.ts';

export interface ErrorRunsOptions extends Pick<ReleasesOptions, 'log' | 'onWake'> {
  readonly sql: TransactionalSql;
  /** Undefined until it is set: nothing is started then. */
  readonly makeErrorRun: () => MakeErrorRun | undefined;
  /** Epoch milliseconds; the system's clock unless set. */
  readonly now?: () => number;
}

/** An error workflow that could not be started is tried again after this, so that one without a remedy does not fill the log. */
const RETRY_AFTER_MS = 60_000;

/**
 * Starts the error workflows of runs that were given up by any process. A sweep begins after the last run of the one before
 * where that was full, so that runs whose error workflow cannot be started do not block those of other runs.
 *
 * @returns one sweep
 */
export function createErrorRuns(options: ErrorRunsOptions): () => Promise<void> {
  const { sql, log, onWake, makeErrorRun, now = Date.now } = options;
  const retry_at = new Map<string, number>();
  let after: string | undefined;
  return async () => {
    const make = makeErrorRun();
    if (!make) return;
    const given_up_runs = await runsToReport(sql, after);
    for (const given_up of given_up_runs) {
      const { run_id } = given_up;
      if ((retry_at.get(run_id) ?? 0) > now()) continue;
      retry_at.delete(run_id);
      try {
        if (await storeErrorRun(sql, run_id, await make(given_up))) onWake();
      } catch (error) {
        if (isConnectionLoss(error)) throw error;
        retry_at.set(run_id, now() + RETRY_AFTER_MS);
        const message = `the error workflow could not be started; trying again in ${RETRY_AFTER_MS / 1_000} s`;
        log.warn({ err: error, run_id }, message);
      }
    }
    // What another process has started meanwhile is not seen here again.
    for (const [run_id, at] of retry_at) if (at <= now() - RETRY_AFTER_MS) retry_at.delete(run_id);
    after = given_up_runs.length < MOST_REPORTS ? undefined : given_up_runs.at(-1)?.run_id;
  };
}
