import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdmittedFromCache } from '../../../execution/admission/admission.ts';
import { limitHeaders } from '../../../execution/admission/rate-limit.ts';
import type { RunAnswer } from '../../../execution/model/run.ts';
import { toNodeResults } from '../../../execution/stream/frames.ts';
import type { Services } from '../../../services.ts';
import { mintedSlot, recordMinted } from '../../file-intake/mint.ts';
import type { ReadCall } from './call.ts';
import { leftSignal } from './left-signal.ts';
import { type Answer, answerForm, respond, respondRateLimited, respondSlot } from './respond.ts';

/** As the answer of an execute call. */
export function toAnswer(answer: RunAnswer): Answer {
  const { workflow_id, status, outputs, shape, execution_time_ms, http_status } = answer;
  const extras = () => ({
    execution_history_id: answer.run_id,
    node_results: toNodeResults(answer.records, status !== 'pending') as never,
  });
  return { workflow_id, status, outputs, shape, execution_time_ms, http_status, extras };
}

function respondCached(
  reply: FastifyReply,
  admitted: AdmittedFromCache,
  form: ReturnType<typeof answerForm>,
): FastifyReply {
  const { outputs, shape } = admitted.answer;
  const workflow_id = admitted.workflow.settings.id;
  return respond(reply, { workflow_id, status: 'cached', outputs, shape, execution_time_ms: 0 }, form);
}

/** `/api/workflows/{workflow_id}/execute` with any verb: admit, run to the durable end, answer. */
export function createExecuteHandler(services: Services, readCall: ReadCall) {
  const { admit, start } = services.execution;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const admitted = await admit.call(await readCall({ request, reply }, { any_verb: false }));
    if (admitted.limit) reply.headers(limitHeaders(admitted.limit));
    const form = answerForm(request.headers['x-simple-response']);
    switch (admitted.kind) {
      case 'rate_limited':
        return respondRateLimited(reply, admitted.workflow.settings.id, { request_id: request.id });
      case 'cached':
        reply.header('X-Execution-Id', admitted.run_id);
        return respondCached(reply, admitted, form);
      case 'run': {
        const { answer, replayed } = await start.answer(admitted, leftSignal(reply));
        reply.header('X-Execution-Id', answer.run_id);
        if (replayed) reply.header('Idempotent-Replayed', 'true');
        const slot = admitted.slot && mintedSlot(services, answer);
        if (slot) {
          if (!replayed) await recordMinted(services, { admitted, slot, request_id: request.id });
          return respondSlot(reply, { workflow_id: answer.workflow_id, slot }, form);
        }
        return respond(reply, toAnswer(answer), form);
      }
      default:
        return admitted satisfies never;
    }
  };
}
