import type { JsonObject } from '@millrace/engine';
import { AppError, conflict } from '../../core/app-error.ts';
import type { SharedStore } from '../../ports/coordination/shared-store.ts';
import type { RunAnswer } from '../model/run.ts';
import type { RunKeeping } from '../run/run-keeping.ts';
import { originOptions } from '../run/start/origin.ts';
import type { RunHandle, RunRequest } from '../run/start/run-request.ts';
import type { RunObserver } from '../stream/frame-log.ts';
import type { Admit, AdmittedFromCache, AdmittedRun, CallRequest, RateLimited } from './admission.ts';
import { answerOfRun } from './answer-of-run.ts';
import { type ClientLeft, clientLeft, unlessLeft } from './client-left.ts';
import type { KeyedRun, KeyedRuns } from './idempotency.ts';
import { withLimit } from './rate-limit.ts';
import { writeCached } from './response-cache.ts';
import { goneOrRefusal } from './run-refusal.ts';
import type { StartInPlace } from './start/start-in-place.ts';
import type { StartQueue } from './start/start-queue.ts';

export interface CallOptions {
  /** If the client leaves before the run starts, nothing is started; if it leaves later, the wait for an earlier run ends. */
  readonly left: ClientLeft;
  /** A client that leaves before the answer ends the run; nodes behind an early answer continue. */
  readonly cancels?: boolean;
  /** Sees every frame of the run that the call starts. */
  readonly observer?: RunObserver | undefined;
  /** Done before the run starts; returns how it starts. */
  readonly prepare?: ((admitted: AdmittedRun) => AdmittedRun | Promise<AdmittedRun>) | undefined;
}

/** The run that answers a call: started by it, or by an earlier one with its idempotency key. */
export interface CalledRun extends KeyedRun, Pick<AdmittedRun, 'kind' | 'workflow' | 'limit' | 'slot'> {
  /** @throws AppError when no answer will come, or the client left first */
  answer(): Promise<RunAnswer>;
}

export type Called = CalledRun | AdmittedFromCache | RateLimited;

/**
 * Admits a call from outside and starts its run, for a caller that waits. It waits for a place first.
 *
 * @throws AppError as `Admit.call`, and 503 when no place is free in time
 */
export type Call = (request: CallRequest, options: CallOptions) => Promise<Called>;

interface Needs extends Pick<RunKeeping, 'metrics' | 'log' | 'journal' | 'live'> {
  readonly admit: Admit;
  readonly start: StartInPlace;
  readonly start_queue: StartQueue;
  readonly keyed: KeyedRuns;
  readonly shared_store: SharedStore;
}

/** A run that was started by a portal visitor stays marked as such wherever it continues. */
function buildOptions({ principal, conversation_id }: AdmittedRun): JsonObject | undefined {
  if (principal.kind !== 'portal_visitor') return undefined;
  const { visitor } = principal;
  return {
    ...originOptions({ portal: { conversation_id: conversation_id ?? null } }),
    ...(visitor === undefined ? {} : { visitor }),
  };
}

function toRunRequest(admitted: AdmittedRun, observer?: RunObserver): RunRequest {
  const { run_id, workflow, principal, input, trigger_source, run_as, test_run, until, place_key } = admitted;
  return {
    run_id,
    workflow,
    input,
    trigger_source,
    trigger_node_id: principal.kind === 'trigger' ? principal.node_id : undefined,
    run_as,
    test_run,
    until,
    place_key,
    options: buildOptions(admitted),
    observer,
  };
}

function busy({ metrics }: Needs, trigger_source: string | null): AppError {
  metrics.refused('busy', trigger_source);
  return new AppError('unavailable', 'The server is busy; try again in a moment', {
    headers: { 'Retry-After': '1' },
  });
}

async function waitForRoom(needs: Needs, { trigger_source }: AdmittedRun, left: ClientLeft): Promise<void> {
  const entry = needs.start_queue.enter(left);
  if (entry === 'entered') return;
  switch (await entry) {
    case 'refused':
      throw busy(needs, trigger_source);
    case 'left':
      throw clientLeft();
  }
}

/** §3.1, §4.1 rule 7: a run that answered early may still fail behind its answer. The caller does not wait for this. */
function keepOnceSuccessful(
  { shared_store, log }: Needs,
  { cache_key: key, workflow }: AdmittedRun,
  run: RunHandle,
): void {
  if (key === undefined) return;
  const ttl_seconds = workflow.settings.cache_ttl_seconds;
  Promise.all([run.answered, run.finished]).then(
    ([{ outputs, shape }, { status }]) => {
      if (status !== 'success') return;
      const answer = { outputs, shape, graph_hash: workflow.version.graph_hash };
      writeCached(shared_store, { key, ttl_seconds, answer }).catch((error: unknown) =>
        log.warn({ err: error }, 'an answer could not be cached'),
      );
    },
    () => undefined,
  );
}

async function start(needs: Needs, admitted: AdmittedRun, options: CallOptions): Promise<KeyedRun> {
  const { left, observer } = options;
  await waitForRoom(needs, admitted, left);
  const request = toRunRequest(admitted, observer);
  if (admitted.idempotency) {
    const run = await needs.keyed.claim(request, admitted.idempotency, left);
    if (run.handle && !run.replayed) keepOnceSuccessful(needs, admitted, run.handle);
    return run;
  }
  const started = needs.start(request, left);
  const handle = started instanceof Promise ? await started : started;
  keepOnceSuccessful(needs, admitted, handle);
  return { run_id: handle.run_id, handle, replayed: false };
}

function answerOrCancel(handle: RunHandle, left: AbortSignal): Promise<RunAnswer> {
  const cancel = () => handle.cancel();
  if (left.aborted) cancel();
  else left.addEventListener('abort', cancel, { once: true });
  return handle.answered.finally(() => left.removeEventListener('abort', cancel));
}

async function awaitAnswer(
  needs: Needs,
  { run_id, handle, replayed }: KeyedRun,
  { left, cancels }: CallOptions,
): Promise<RunAnswer> {
  if (handle && cancels && !replayed) return answerOrCancel(handle, left());
  if (handle) return replayed ? unlessLeft(handle.answered, left()) : handle.answered;
  const answer = await answerOfRun(needs, run_id, { left: left() });
  if (answer === 'running')
    throw conflict('The first request with this Idempotency-Key is still running; try again later');
  if (!answer) throw conflict('The run of this Idempotency-Key was deleted; use a new key');
  return answer;
}

export function createCall(needs: Needs): Call {
  const { admit, journal } = needs;
  return async (request, options) => {
    const admitted = await admit.call(request);
    if (admitted.kind !== 'run') return admitted;
    const { kind, workflow, limit, slot } = admitted;
    try {
      const prepared = options.prepare ? await options.prepare(admitted) : admitted;
      const run = await start(needs, prepared, options);
      const { run_id, handle, replayed } = run;
      const answer = () =>
        awaitAnswer(needs, run, options).catch(async (error: unknown) => {
          throw await goneOrRefusal(journal, error);
        });
      return { kind, workflow, limit, slot, run_id, handle, replayed, answer };
    } catch (error) {
      throw withLimit(await goneOrRefusal(journal, error), limit);
    }
  };
}
