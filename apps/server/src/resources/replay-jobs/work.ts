import { AppError } from '../../core/app-error.ts';
import { type ClaimedWork, type Held, isOutage } from '../../execution/claimed-work/claimed-work.ts';
import type { Claim } from '../../execution/claimed-work/claims.ts';
import type { Services } from '../../services.ts';
import { replay } from '../executions/replay/service.ts';
import { findActor } from '../run-actor.ts';
import * as store from './queries.ts';

/** So often a run may fail in a way that it has no word for; then it counts as refused. */
const MOST_FAILURES = 3;
/** From the beginning of a slice to the next: a slice has as many runs as the job may start in a second. */
const SLICE_SECONDS = 1;
/** Rest of a workflow that refuses runs without saying how long. */
const REST_SECONDS = 5;

const DISMISSED: store.Refusal = {
  reason: 'dismissed',
  message: 'The run was dismissed or run again since the job was created',
};
const GONE: store.Refusal = { reason: 'not_found', message: 'Run not found' };
const UNEXPECTED: store.Refusal = { reason: 'internal', message: 'Something went wrong on our side' };

type Outcome =
  | 'replayed'
  | 'failed'
  | { readonly workflow_id: string; readonly seconds: number }
  | store.Refusal;

function toOutcome(
  error: unknown,
  run: store.SliceRun & { workflow_id: string },
  services: Services,
): Outcome {
  if (isOutage(error)) throw error;
  if (error instanceof AppError) {
    if (error.code === 'rate_limited') {
      const seconds = Number(error.headers['Retry-After'] ?? REST_SECONDS);
      return { workflow_id: run.workflow_id, seconds };
    }
    const [problem] = Array.isArray(error.detail) ? error.detail : [];
    return { reason: problem?.type ?? error.code, message: error.message };
  }
  services.log.warn({ err: error, run_id: run.run_id }, 'a run could not be run again');
  return run.failures + 1 < MOST_FAILURES ? 'failed' : UNEXPECTED;
}

/** One run, by the rules and with the rights of a single replay. Rejects only with what has nothing to do with the run. */
async function replayOne(services: Services, job: Claim, run: store.SliceRun): Promise<Outcome> {
  const { run_id, workflow_id } = run;
  if (run.is_replayed) return 'replayed';
  if (workflow_id === null) return GONE;
  if (run.is_dismissed) return DISMISSED;
  const actor = await findActor(services, run.requested_by);
  if (!actor) return GONE;
  const { db, sql } = services.database;
  try {
    await replay({ db, sql, actor, client_ip: run.client_ip }, services, {
      params: { id: workflow_id, execution_id: run_id },
      body: { from: run.origin, version: run.version, only: false, earlier_runs: false },
      idempotency_key: store.replayKey(job.id, run_id),
    });
    return 'replayed';
  } catch (error) {
    return toOutcome(error, { ...run, workflow_id }, services);
  }
}

/** A run that was run again by a process that was lost before it was counted is recognised by its key. */
async function workSlice(services: Services, { claim, stopping }: Held): Promise<number> {
  const began = performance.now();
  const { sql } = services.database;
  const run_ids = await store.readSlice(sql, claim);
  for (const run_id of run_ids) {
    if (stopping.aborted) return 0;
    const run = await store.readTurn(sql, claim, run_id);
    if (!run) continue;
    const place = { job_id: claim.id, run_id };
    const outcome = await replayOne(services, claim, run);
    if (outcome === 'failed') await store.countFailure(sql, place);
    else if (outcome === 'replayed') await store.countRun(sql, place);
    else if ('reason' in outcome) await store.countRun(sql, place, outcome);
    else await store.restWorkflow(sql, claim, outcome);
  }
  const rest = await store.endSlice(sql, claim);
  const seconds = SLICE_SECONDS - (performance.now() - began) / 1_000;
  // Where every run that is left is of a workflow that rests, not before the first of them has rested.
  return Math.max(seconds, run_ids.length === 0 ? rest : 0);
}

export const REPLAY_JOBS: ClaimedWork<Services> = {
  name: 'a replay job',
  table: store.JOB_CLAIMS,
  most_at_once: 1,
  most_seconds: 60,
  work: workSlice,
};
