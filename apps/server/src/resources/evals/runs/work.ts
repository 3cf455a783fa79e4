import { NodeFailure } from '@millrace/engine';
import { AppError } from '../../../core/app-error.ts';
import { catchUp } from '../../../core/catch-up.ts';
import { faultPoint } from '../../../core/fault-point.ts';
import { startPolling } from '../../../core/polling.ts';
import { isConnectionLoss } from '../../../database/connection-loss.ts';
import { workOnClaims } from '../../../execution/claimed-work.ts';
import { sleep } from '../../../execution/run/sleep.ts';
import { storableText } from '../../../execution/store/encoding/columns.ts';
import type { Services } from '../../../services.ts';
import { answerTurn, judgeTurn } from './answer.ts';
import * as claims from './claims.ts';
import type { ResultRow, RunRow } from './queries.ts';

const LOOK_EVERY_MS = 500;
/** Runs under way in one process. */
const MOST_RUNS = 4;
/** Models that one run asks at a time. */
const MOST_ANSWERS = 4;
/** Also how soon the calls of a run end that a person has cancelled. */
const RENEW_EVERY_MS = 2_000;
/** After something that has nothing to do with the run, such as a database that is away. */
const REST_SECONDS = 5;
const STORE_AGAIN_MS = 1_000;
const UNEXPECTED = 'Something went wrong on our side';

interface Work {
  readonly services: Services;
  readonly claim: claims.Claim;
  readonly run: RunRow;
  /** Ends the calls that are under way: the run has ended or was taken over, or the process stops. */
  readonly ended: AbortSignal;
}

/** Why a case has no score; undefined where that has nothing to do with the case, and the run rests. */
function describeFailure({ log }: Services, error: unknown, result_id: string): string | undefined {
  if (error instanceof NodeFailure) return error.failure.message;
  if (isConnectionLoss(error) || (error instanceof AppError && error.code === 'unavailable'))
    return undefined;
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
  await workOnClaims({
    most_at_once: MOST_ANSWERS,
    look_every_ms: LOOK_EVERY_MS,
    claim: () => Promise.resolve(waiting.shift()),
    work: async (result_id) => {
      await workResult(work, result_id).catch((error: unknown) => broken.abort(error));
    },
    signal: AbortSignal.any([stopping, work.ended, broken.signal]),
  });
  if (broken.signal.aborted) throw broken.signal.reason;
}

/** Aborts when the claim is lost, and some time after the process was asked to stop. */
function watchClaim(services: Services, claim: claims.Claim, stopping: AbortSignal) {
  const ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onStop = () => {
    timer = setTimeout(() => ended.abort(), services.config.DRAIN_SECONDS * 1_000);
    timer.unref();
  };
  stopping.addEventListener('abort', onStop, { once: true });
  const stopRenewing = startPolling({
    every_ms: RENEW_EVERY_MS,
    work: async () => {
      if (!(await claims.renewClaim(services.database.sql, claim))) ended.abort();
    },
    onError: (error) => services.log.warn({ err: error }, 'the claim of an eval run could not be renewed'),
  });
  const close = async () => {
    stopping.removeEventListener('abort', onStop);
    clearTimeout(timer);
    await stopRenewing();
  };
  return { signal: ended.signal, close };
}

/** Never rejects: where not even the claim can be given back, it ends by itself. */
async function workRun(services: Services, claim: claims.Claim, stopping: AbortSignal): Promise<void> {
  const { db, sql } = services.database;
  const ended = watchClaim(services, claim, stopping);
  try {
    const run = await claims.claimedRun(db, claim);
    if (run) await workResults({ services, claim, run, ended: ended.signal }, stopping);
    if (!(await claims.finishRun(sql, claim))) await claims.releaseRun(sql, claim, 0);
  } catch (error) {
    services.log.warn(
      { err: error, eval_run_id: claim.id },
      'an eval run could not be continued; trying again',
    );
    await claims.releaseRun(sql, claim, REST_SECONDS).catch(() => undefined);
  } finally {
    await ended.close();
  }
}

/**
 * Continues each eval run that no process works on, at its first case without a result. A run whose process is lost is
 * continued by another when the claim ends.
 *
 * @param signal takes no more cases; calls that are under way have the time of a stopping process
 */
export const workEvalRuns = (services: Services, signal: AbortSignal): Promise<void> =>
  workOnClaims({
    most_at_once: MOST_RUNS,
    look_every_ms: LOOK_EVERY_MS,
    claim: () => claims.claimRun(services.database.sql),
    work: (claim) => workRun(services, claim, signal),
    signal,
  });

/** Looks for eval runs until the returned function is called, which also waits for the calls that are under way. */
export function startEvalRuns(services: Services): () => Promise<void> {
  return startPolling({
    every_ms: LOOK_EVERY_MS,
    work: (signal) => workEvalRuns(services, signal),
    onError: (error) => services.log.error({ err: error }, 'eval runs could not be looked at'),
  });
}
