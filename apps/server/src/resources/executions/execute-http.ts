import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../core/app-error.ts';
import type { Services } from '../../core/context.ts';
import type { Admit, Admitted } from '../../execution/admission/admit.ts';
import { limitHeaders } from '../../execution/admission/rate-limit.ts';
import { writeCached } from '../../execution/admission/response-cache.ts';
import { JournalUnavailable } from '../../execution/journal/journal.ts';
import { type RunAnswer, type RunRequest, stopsTheRun } from '../../execution/run/run-request.ts';
import type { RunObserver } from '../../execution/stream/frame-log.ts';
import { nodeResultOf } from '../../execution/stream/frames.ts';
import { type Answer, answerForm, respond, respondRateLimited } from './respond-http.ts';

export type AdmittedRun = Extract<Admitted, { kind: 'run' }>;

/** The run that an admitted call asks for. */
export function runRequestOf(admitted: AdmittedRun, observer?: RunObserver): RunRequest {
  const { workflow, input, trigger_source, caller, test_run } = admitted;
  return { workflow, input, trigger_source, run_as: caller.run_as, test_run, observer };
}

/** More runs than the process may work on wait for their turn, for as long as `RUN_PATIENCE_SECONDS`. */
export async function requireRoom({ execution }: Services, trigger_source: string): Promise<void> {
  const may_enter = execution.gate.enter();
  if (may_enter === true || (await may_enter)) return;
  execution.environment.metrics.refused('busy', trigger_source);
  throw new AppError('unavailable', 'Too much is running just now; try again in a moment', {
    headers: { 'Retry-After': '1' },
  });
}

/** What the caller of a run is told when this process cannot finish it. */
export function runRefusal(error: unknown): unknown {
  if (error instanceof JournalUnavailable) {
    return new AppError('unavailable', 'The run could not be stored; try again', {
      headers: { 'Retry-After': '1' },
      cause: error,
    });
  }
  if (stopsTheRun(error)) {
    return new AppError(
      'unavailable',
      'The run goes on in the background; its result will be in the history',
      {
        headers: { 'Retry-After': '5' },
      },
    );
  }
  return error;
}

function answerOf(answer: RunAnswer): Answer {
  const { workflow_id, status, outputs, shape, execution_time_ms, http_status } = answer;
  const extras = () => ({
    execution_history_id: answer.run_id,
    node_results: answer.records.map(nodeResultOf) as never,
  });
  return { workflow_id, status, outputs, shape, execution_time_ms, http_status, extras };
}

/** §4.1 rule 7: only a success is kept. The caller does not wait for it. */
function keepAnswer(services: Services, admitted: AdmittedRun, answer: RunAnswer): void {
  if (admitted.cache_key === undefined || answer.status !== 'success') return;
  const entry = {
    key: admitted.cache_key,
    ttl_seconds: admitted.workflow.settings.cache_ttl_seconds,
    answer: {
      outputs: answer.outputs,
      shape: answer.shape,
      graph_hash: admitted.workflow.version.graph_hash,
    },
  };
  writeCached(services.shared_store, entry).catch((error: unknown) =>
    services.log.warn({ err: error }, 'an answer could not be cached'),
  );
}

export async function executeAdmitted(
  services: Services,
  admitted: AdmittedRun,
): Promise<{ answer: RunAnswer; replayed: boolean }> {
  await requireRoom(services, admitted.trigger_source);
  const { execution } = services;
  const request = runRequestOf(admitted);
  try {
    if (admitted.idempotency) {
      const keyed = await execution.keyed.run(request, admitted.idempotency);
      if (!keyed.replayed) keepAnswer(services, admitted, keyed.answer);
      return keyed;
    }
    const started = execution.start(request);
    const handle = started instanceof Promise ? await started : started;
    const answer = await handle.answered;
    keepAnswer(services, admitted, answer);
    return { answer, replayed: false };
  } catch (error) {
    throw runRefusal(error);
  }
}

function respondCached(
  reply: FastifyReply,
  admitted: Extract<Admitted, { kind: 'cached' }>,
  form: ReturnType<typeof answerForm>,
): FastifyReply {
  const { outputs, shape } = admitted.answer;
  const workflow_id = admitted.workflow.settings.id;
  return respond(reply, { workflow_id, status: 'cached', outputs, shape, execution_time_ms: 0 }, form);
}

/** `/api/workflows/{workflow_id}/execute` with any verb: admit, run to the durable end, answer. */
export function createExecuteHandler(services: Services, admit: Admit) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { workflow_id } = request.params as { workflow_id: string };
    const admitted = await admit({ request, workflow_id: workflow_id.toLowerCase(), any_verb: false });
    if (admitted.limit) reply.headers(limitHeaders(admitted.limit));
    const form = answerForm(request.headers['x-simple-response']);
    switch (admitted.kind) {
      case 'rate_limited':
        return respondRateLimited(reply, admitted.workflow.settings.id, request.id);
      case 'cached':
        reply.header('X-Execution-Id', admitted.run_id);
        return respondCached(reply, admitted, form);
      case 'run': {
        const { answer, replayed } = await executeAdmitted(services, admitted);
        reply.header('X-Execution-Id', answer.run_id);
        if (replayed) reply.header('Idempotent-Replayed', 'true');
        return respond(reply, answerOf(answer), form);
      }
      default:
        return admitted satisfies never;
    }
  };
}
