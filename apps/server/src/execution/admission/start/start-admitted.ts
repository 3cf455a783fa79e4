import type { JsonObject } from '@millrace/engine';
import { AppError } from '../../../core/app-error.ts';
import type { SharedStore } from '../../../ports/coordination/shared-store.ts';
import { JournalUnavailable, OwnershipLost } from '../../model/errors.ts';
import type { RunKeeping } from '../../run/run-keeping.ts';
import { originOptions } from '../../run/start/origin.ts';
import { type RunHandle, type RunRequest, stopsTheRun } from '../../run/start/run-request.ts';
import type { RunObserver } from '../../stream/frame-log.ts';
import type { AdmittedRun, IdempotencyKey } from '../admission.ts';
import { type ClientLeft, clientLeft } from '../client-left.ts';
import type { KeyedAnswer, KeyedRun, KeyedRuns } from '../idempotency.ts';
import { writeCached } from '../response-cache.ts';
import type { StartInPlace } from './start-in-place.ts';
import type { StartQueue } from './start-queue.ts';

/**
 * Starts runs that callers wait for. Each verb waits for a place first and refuses with 503 when there is none in time; a
 * client that leaves before that starts nothing.
 */
export interface StartAdmitted {
  /**
   * Runs to the answer; a key that was used before gives the answer of its first run, and the wait for that one ends when
   * the client leaves.
   */
  answer(admitted: AdmittedRun, left: ClientLeft): Promise<KeyedAnswer>;
  /** Starts and shows every frame to the observer. */
  observed(admitted: AdmittedRun, left: ClientLeft, observer: RunObserver): Promise<RunHandle>;
  /** The run that has the key, started now unless there was one. */
  keyed(admitted: AdmittedRun, left: ClientLeft, key: IdempotencyKey): Promise<KeyedRun>;
}

interface Needs extends Pick<RunKeeping, 'metrics' | 'log' | 'journal'> {
  readonly start: StartInPlace;
  readonly start_queue: StartQueue;
  readonly keyed: KeyedRuns;
  readonly shared_store: SharedStore;
}

/** The answer to the caller of a run that this process cannot finish. */
export function runRefusal(error: unknown): unknown {
  if (error instanceof JournalUnavailable) {
    const headers = { 'Retry-After': '1' };
    return new AppError('unavailable', 'The run could not be stored; try again', { headers, cause: error });
  }
  if (stopsTheRun(error)) {
    const message = 'The run continues in the background; its result will be in the history';
    return new AppError('unavailable', message, { headers: { 'Retry-After': '5' } });
  }
  return error;
}

/** The same, but 410 for a run that was deleted together with its workflow: it does not continue on another process. */
async function toRefusal({ journal }: Pick<Needs, 'journal'>, error: unknown): Promise<unknown> {
  if (error instanceof OwnershipLost) {
    const is_stored = await journal.load(error.run_id).then(Boolean, () => true);
    if (!is_stored) return new AppError('gone', 'The run was deleted before its end');
  }
  return runRefusal(error);
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

export function createStartAdmitted(needs: Needs): StartAdmitted {
  const { keyed, shared_store, log } = needs;

  /** §3.1, §4.1 rule 7: a run that answered early may still fail behind its answer. The caller does not wait for this. */
  function keepOnceSuccessful({ cache_key: key, workflow }: AdmittedRun, run: RunHandle): void {
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

  return {
    async answer(admitted, left) {
      await waitForRoom(needs, admitted, left);
      try {
        if (admitted.idempotency) {
          const first = await keyed.run(toRunRequest(admitted), admitted.idempotency, left);
          if (first.handle) keepOnceSuccessful(admitted, first.handle);
          return first;
        }
        const started = needs.start(toRunRequest(admitted), left);
        const handle = started instanceof Promise ? await started : started;
        keepOnceSuccessful(admitted, handle);
        return { answer: await handle.answered, replayed: false };
      } catch (error) {
        throw await toRefusal(needs, error);
      }
    },
    async observed(admitted, left, observer) {
      await waitForRoom(needs, admitted, left);
      const handle = await needs.start(toRunRequest(admitted, observer), left);
      keepOnceSuccessful(admitted, handle);
      return handle;
    },
    async keyed(admitted, left, key) {
      await waitForRoom(needs, admitted, left);
      try {
        const run = await keyed.claim(toRunRequest(admitted), key, left);
        if (run.handle && !run.replayed) keepOnceSuccessful(admitted, run.handle);
        return run;
      } catch (error) {
        throw runRefusal(error);
      }
    },
  };
}
