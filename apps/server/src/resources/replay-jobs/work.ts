import { AppError } from '../../core/app-error.ts';
import { startPolling } from '../../core/polling.ts';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import * as store from '../../execution/store/jobs/replay-jobs.ts';
import type { Services } from '../../services.ts';
import { replay } from '../executions/replay/service.ts';
import { findActor } from '../run-actor.ts';

/** So often a run may fail in a way that it has no word for; then it counts as refused. */
const MOST_FAILURES = 3;
const LOOK_EVERY_MS = 500;
/** From the beginning of a slice to the next: a slice has as many runs as the job may start in a second. */
const SLICE_SECONDS = 1;
/** After something that has nothing to do with the run, such as a database that is away. */
const REST_SECONDS = 5;

const DISMISSED: store.Refusal = {
  reason: 'dismissed',
  message: 'The run was dismissed or run again since the job was created',
};
const GONE: store.Refusal = { reason: 'not_found', message: 'Run not found' };
const UNEXPECTED: store.Refusal = { reason: 'internal', message: 'Something went wrong on our side' };

/** `job_rests`: what happened has nothing to do with the run. */
type Outcome =
  | 'replayed'
  | 'failed'
  | 'job_rests'
  | { readonly workflow_id: string; readonly seconds: number }
  | store.Refusal;

function toOutcome(
  error: unknown,
  run: store.SliceRun & { workflow_id: string },
  services: Services,
): Outcome {
  if (isConnectionLoss(error)) {
    services.log.warn({ err: error, run_id: run.run_id }, 'the database went away while a run was run again');
    return 'job_rests';
  }
  if (error instanceof AppError) {
    if (error.code === 'unavailable') return 'job_rests';
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

/** One run, by the rules and with the rights of a single replay. */
async function replayOne(services: Services, job: store.ClaimedJob, run: store.SliceRun): Promise<Outcome> {
  const { run_id, workflow_id } = run;
  if (run.is_replayed) return 'replayed';
  if (workflow_id === null) return GONE;
  if (run.is_dismissed) return DISMISSED;
  const actor = await findActor(services, job.requested_by);
  if (!actor) return GONE;
  const { db, sql } = services.database;
  try {
    await replay({ db, sql, actor, client_ip: job.client_ip }, services, {
      params: { id: workflow_id, execution_id: run_id },
      body: { from: job.origin, version: job.version, only: false, earlier_runs: false },
      idempotency_key: store.replayKey(job.id, run_id),
    });
    return 'replayed';
  } catch (error) {
    return toOutcome(error, { ...run, workflow_id }, services);
  }
}

async function workSlice(
  services: Services,
  job: store.ClaimedJob,
  signal: AbortSignal,
): Promise<store.NextSlice> {
  const { sql } = services.database;
  const run_ids = await store.readSlice(sql, job);
  for (const run_id of run_ids) {
    if (signal.aborted) return { seconds: 0 };
    const run = await store.readTurn(sql, job, run_id);
    if (!run) continue;
    const place = { job_id: job.id, run_id };
    const outcome = await replayOne(services, job, run);
    if (outcome === 'job_rests') return { seconds: REST_SECONDS };
    if (outcome === 'failed') await store.countFailure(sql, place);
    else if (outcome === 'replayed') await store.countRun(sql, place);
    else if ('reason' in outcome) await store.countRun(sql, place, outcome);
    else await store.restWorkflow(sql, job, outcome);
  }
  return { seconds: SLICE_SECONDS, all_rest: run_ids.length === 0 };
}

/**
 * Carries out one slice of each job that is due. Any process may; a slice whose process is lost is begun anew when its lease
 * ends, and a run that was run again by then is recognised by its key.
 *
 * @param signal ends the work after the run that it is at
 */
export async function workReplayJobs(services: Services, signal: AbortSignal): Promise<void> {
  const { sql } = services.database;
  while (!signal.aborted) {
    const job = await store.claimSlice(sql);
    if (!job) return;
    await store.endSlice(sql, job, await workSlice(services, job, signal));
  }
}

/** Looks for jobs until the returned function is called, which also waits for the run that is under way. */
export function startReplayJobs(services: Services): () => Promise<void> {
  return startPolling({
    every_ms: LOOK_EVERY_MS,
    work: (signal) => workReplayJobs(services, signal),
    onError: (error) => services.log.error({ err: error }, 'replay jobs could not be carried out'),
  });
}
