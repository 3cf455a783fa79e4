import type { Logger } from 'pino';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import type { TransactionalSql } from '../../database/sql-client.ts';
import type { GivenUpRun } from '../model/queue.ts';
import { MOST_REPORTS, runsToReport, storeErrorRun } from '../store/jobs/error-runs.ts';
import type { MakeErrorRun } from './ownership.ts';
import type { ReleasesOptions } from './releases.ts';

interface ReportsOptions<Failure> {
  readonly log: Logger;
  /** Epoch milliseconds; the system's clock unless set. */
  readonly now?: (() => number) | undefined;
  readonly getId: (failure: Failure) => string;
  /** Failures after that id whose error workflow has not been started, in the order of their ids, up to `MOST_REPORTS`. */
  readonly due: (after: string | undefined) => Promise<Failure[]>;
  readonly report: (failure: Failure) => Promise<void>;
}

export interface ErrorRunsOptions extends Pick<ReleasesOptions, 'log' | 'onWake'> {
  readonly sql: TransactionalSql;
  /** Undefined until it is set: nothing is started then. */
  readonly makeErrorRun: () => MakeErrorRun | undefined;
  readonly now?: () => number;
}

/** An error workflow that could not be started is tried again after this, so that one without a remedy does not fill the log. */
const RETRY_AFTER_MS = 60_000;

/**
 * Starts the error workflows of failures that any process has stored. A sweep begins after the last failure of the one before
 * where that was full, so that those whose error workflow cannot be started do not block others.
 *
 * @returns one sweep
 */
export function createReports<Failure>(options: ReportsOptions<Failure>): () => Promise<void> {
  const { log, getId, due, report, now = Date.now } = options;
  const retry_at = new Map<string, number>();
  let after: string | undefined;
  return async () => {
    const failures = await due(after);
    for (const failure of failures) {
      const id = getId(failure);
      if ((retry_at.get(id) ?? 0) > now()) continue;
      retry_at.delete(id);
      try {
        await report(failure);
      } catch (error) {
        if (isConnectionLoss(error)) throw error;
        retry_at.set(id, now() + RETRY_AFTER_MS);
        const message = `the error workflow could not be started; trying again in ${RETRY_AFTER_MS / 1_000} s`;
        log.warn({ err: error, failure_id: id }, message);
      }
    }
    // Error runs that another process has started meanwhile are not seen here again.
    for (const [id, at] of retry_at) if (at <= now() - RETRY_AFTER_MS) retry_at.delete(id);
    const last = failures.at(-1);
    after = failures.length < MOST_REPORTS || !last ? undefined : getId(last);
  };
}

/** The same for runs that were given up. */
export const createErrorRuns = ({ sql, log, onWake, makeErrorRun, now }: ErrorRunsOptions) =>
  createReports<GivenUpRun>({
    log,
    now,
    getId: ({ run_id }) => run_id,
    due: async (after) => (makeErrorRun() ? runsToReport(sql, after) : []),
    async report(given_up) {
      const make = makeErrorRun();
      if (make && (await storeErrorRun(sql, given_up.run_id, await make(given_up)))) onWake();
    },
  });
