import { NodeFailure } from '@millrace/engine';
import { AppError } from '../../../core/app-error.ts';
import { catchUp } from '../../../core/catch-up.ts';
import { faultPoint } from '../../../core/fault-point.ts';
import { isConnectionLoss } from '../../../database/connection-loss.ts';
import { type ClaimedWork, type Held, isOutage } from '../../../execution/claimed-work/claimed-work.ts';
import type { Claim } from '../../../execution/claimed-work/claims.ts';
import { workInPool } from '../../../execution/claimed-work/work-in-pool.ts';
import { sleep } from '../../../execution/run/sleep.ts';
import { storableText } from '../../../execution/store/encoding/columns.ts';
import type { Services } from '../../../services.ts';
import { answerTurn, judgeTurn } from './answer.ts';
import * as claims from './claims.ts';
import type { ResultRow, RunRow } from './queries.ts';

/** Models that one run asks at a time. */
const MOST_ANSWERS = 4;
const STORE_AGAIN_MS = 1_000;
const UNEXPECTED = 'Something went wrong on our side';

interface Work {
  readonly services: Services;
  readonly claim: Claim;
  readonly run: RunRow;
  /** Ends the calls that are under way: the run has ended or was taken over, or the process stops. */
  readonly ended: AbortSignal;
}

/** Why a case has no score; undefined where that has nothing to do with the case, and the run rests. */
function describeFailure({ log }: Services, error: unknown, result_id: string): string | undefined {
  if (error instanceof NodeFailure) return error.failure.message;
  if (isOutage(error)) return undefined;
  if (error instanceof AppError) return error.message;
  log.error({ err: error, result_id }, 'a test case of an eval run failed in an unexpected way');
  return UNEXPECTED;
}

/** An answer is paid for, so it waits here as long as the database is away. */
async function store(
  { services, ended }: Work,
  turn: claims.Turn,
  change: Partial<ResultRow>,
): Promise<void> {
  for (;;) {
    try {
      await claims.storeResult(services.database.db, turn, change);
      return;
    } catch (error) {
      if (!isConnectionLoss(error) || ended.aborted) throw error;
      await sleep(STORE_AGAIN_MS, ended);
    }
  }
}

/** Asks for an answer or a verdict and stores it. Rejects only with what has nothing to do with the case. */
async function take(work: Work, turn: claims.Turn): Promise<void> {
  const { services, run, ended } = work;
  const asked = { run, turn, signal: ended };
  let change: Partial<ResultRow>;
  try {
    change = await (turn.status === 'pending' ? answerTurn(services, asked) : judgeTurn(services, asked));
  } catch (error) {
    if (ended.aborted) return;
    const reason = describeFailure(services, error, turn.id);
    if (reason === undefined) throw error;
    const error_text = turn.status === 'pending' ? reason : `The judge could not be asked: ${reason}`;
    change = { status: 'failed', error: storableText(error_text) };
  }
  await store(work, turn, change);
}

/** One result to its end; what is stored of it already is not asked for again. */
async function workResult(work: Work, result_id: string): Promise<void> {
  const { services, claim } = work;
  for (const status of ['pending', 'answered'] as const) {
    const turn = await claims.readTurn(services.database.sql, claim, result_id);
    if (turn?.status !== status) continue;
    // Rights that were taken back since the last case count.
    await catchUp(services);
    await take(work, turn);
    if (status === 'pending') faultPoint('after_eval_answer');
  }
}

/** Works on the results that are open until all are done, one fails for a reason of its own, or the process stops. */
async function workResults(work: Work, stopping: AbortSignal): Promise<void> {
  const waiting = await claims.openResults(work.services.database.sql, work.claim);
  const broken = new AbortController();
  await workInPool({
    most_at_once: MOST_ANSWERS,
    next: () => Promise.resolve(waiting.shift()),
    work: async (result_id) => {
      await workResult(work, result_id).catch((error: unknown) => broken.abort(error));
    },
    signal: AbortSignal.any([stopping, work.ended, broken.signal]),
  });
  if (broken.signal.aborted) throw broken.signal.reason;
}

async function workRun(services: Services, { claim, stopping, ended }: Held): Promise<number> {
  const { db, sql } = services.database;
  const run = await claims.claimedRun(db, claim);
  if (run) await workResults({ services, claim, run, ended }, stopping);
  await claims.finishRun(sql, claim);
  return 0;
}

/** Each run is continued at its first case without a result. */
export const EVAL_RUNS: ClaimedWork<Services> = {
  name: 'an eval run',
  table: claims.RUN_CLAIMS,
  most_at_once: 4,
  work: workRun,
};
