import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdmittedFromCache } from '../../../execution/admission/admission.ts';
import type { RunAnswer } from '../../../execution/model/run.ts';
import { toNodeResults } from '../../../execution/stream/frames.ts';
import type { Services } from '../../../services.ts';
import { mintSlot } from '../../file-intake/mint.ts';
import type { ReadCall } from './call.ts';
import { leftSignal } from './left-signal.ts';
import { type Answer, answerForm, respond, respondOverLimit, respondSlot } from './respond.ts';

/** As the answer of an execute call. */
export function toAnswer(answer: RunAnswer): Answer {
  const { workflow_id, status, outputs, shape, execution_time_ms, http_status } = answer;
  const extras = () => ({
    execution_history_id: answer.run_id,
    node_results: toNodeResults(answer.records, status !== 'pending') as never,
  });
  return { workflow_id, status, outputs, shape, execution_time_ms, http_status, extras };
}

function toCachedAnswer({ answer: { outputs, shape }, workflow }: AdmittedFromCache): Answer {
  return { workflow_id: workflow.settings.id, status: 'cached', outputs, shape, execution_time_ms: 0 };
}

/** `/api/workflows/{workflow_id}/execute` with any verb: admit, run to the durable end, answer. */
export function createExecuteHandler(services: Services, readCall: ReadCall) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const call = await readCall({ request, reply }, { any_verb: false });
    const called = await services.execution.call(call, { left: leftSignal(reply) });
    if (respondOverLimit({ request, reply }, called)) return reply;
    const form = answerForm(request.headers['x-simple-response']);
    if (called.kind === 'cached') {
      reply.header('X-Execution-Id', called.run_id);
      return respond(reply, toCachedAnswer(called), form);
    }
    const answer = await called.answer();
    reply.header('X-Execution-Id', answer.run_id);
    if (called.replayed) reply.header('Idempotent-Replayed', 'true');
    const slot = called.slot && (await mintSlot(services, called, { answer, request_id: request.id }));
    if (slot) return respondSlot(reply, { workflow_id: answer.workflow_id, slot }, form);
    return respond(reply, toAnswer(answer), form);
  };
}
