import type { Logger } from 'pino';
import { faultPoint } from '../../../core/fault-point.ts';
import type { TransactionalSql } from '../../../database/sql-client.ts';
import { type Fenced, JournalUnavailable } from '../../model/errors.ts';
import type { Operation } from '../operations.ts';
import { commitBatch } from './commit.ts';
import type { Counters } from './counters.ts';
import type { Refusals } from './refusals.ts';

/** After this long without a commit, callers hear that the journal is unavailable; it keeps trying. */
export const ANSWER_WITHIN_MS = 5_000;

export interface CommitterOptions {
  readonly sql: TransactionalSql;
  readonly worker_id: string;
  /** False only in the crash harness. */
  readonly fenced: boolean;
  readonly log: Logger;
  readonly counters: Counters;
  readonly refusals: Refusals;
  /** Operations that wait behind the commit under way. */
  waiting(): readonly Operation[];
}

/** The commit under way, its duration and the answers to its callers. */
export interface Committer {
  commit(operations: readonly Operation[]): Promise<'committed' | 'fenced'>;
  /** Turns away the callers of a commit that takes too long and of what waits behind it; all of it stays in line. */
  reportDelay(): void;
  /** The commit ended by an error that is none of the database's. */
  abort(failure: JournalUnavailable): void;
  /** How long it has been tried; 0 when there is none. */
  readonly commit_ms: number;
}

export function rejectAll(operations: readonly Operation[], failure: Fenced | JournalUnavailable): void {
  for (const { waiter } of operations) waiter?.reject(failure);
}

export function createCommitter({ refusals, waiting, ...options }: CommitterOptions): Committer {
  const { counters } = options;
  let underWay: readonly Operation[] = [];
  let beganAt: number | undefined;
  let lastError: unknown;

  const commitMs = () => (beganAt === undefined ? 0 : performance.now() - beganAt);

  function end(): void {
    underWay = [];
    beganAt = undefined;
  }

  function reportDelay(): void {
    if (commitMs() < ANSWER_WITHIN_MS) return;
    const failure = new JournalUnavailable(lastError ?? new Error('a commit takes longer than five seconds'));
    for (const { waiter } of underWay) waiter?.turnAway(failure);
    for (const { waiter } of waiting()) waiter?.turnAway(failure);
  }

  return {
    async commit(operations) {
      underWay = operations;
      beganAt = performance.now();
      lastError = undefined;
      faultPoint('before_commit');
      counters.commits += 1;
      counters.records += operations.length;
      const outcome = await commitBatch({
        ...options,
        operations,
        refuse: refusals.refuse,
        findRefusal: refusals.of,
        onRetry: (error) => {
          counters.retries += 1;
          lastError = error;
          reportDelay();
        },
      });
      end();
      return outcome;
    },
    reportDelay,
    abort(failure) {
      rejectAll(underWay, failure);
      end();
    },
    get commit_ms() {
      return commitMs();
    },
  };
}
