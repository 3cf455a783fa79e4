import { publishedWebhooks } from '@millrace/contracts';
import { receivers } from '@millrace/nodes/runtime';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../core/app-error.ts';
import { answerOfRun } from '../../execution/admission/answer-of-run.ts';
import type { Binder } from '../../http/bind.ts';
import type { HttpExchange } from '../../http/bodies/read-body.ts';
import { toAnswer } from '../../resources/executions/http/execute.ts';
import { leftSignal } from '../../resources/executions/http/left-signal.ts';
import { answerForm, respond } from '../../resources/executions/http/respond.ts';
import type { Services } from '../../services.ts';
import { createRefusals } from '../refused/refusals.ts';
import { createWebhooks, type Received } from './receive.ts';
import { sendAnswer } from './send-answer.ts';

const ROUTE = /^\/api\/([a-z]+)\/(?:webhook\/)?\{/;

/** The answer of the run, in the form of an execute call; of one that takes long only its id. */
async function answerByRun(
  { execution }: Services,
  { request, reply }: HttpExchange,
  { run_id, until }: { run_id: string; until: 'answered' | 'finished' },
): Promise<FastifyReply> {
  const answer = await answerOfRun(execution, run_id, { left: leftSignal(reply)(), until });
  if (!answer) throw new AppError('gone', 'The run of this delivery was deleted before its end');
  if (answer === 'running') return reply.code(202).send({ status: 'running', run_id });
  return respond(reply, toAnswer(answer), answerForm(request.headers['x-simple-response']));
}

function answer(
  services: Services,
  http: HttpExchange,
  { answer: received, run_id, repeated, answered_by }: Received,
): FastifyReply | Promise<FastifyReply> {
  const { reply } = http;
  if (run_id !== undefined) reply.header('X-Execution-Id', run_id);
  if (repeated) reply.header('Idempotent-Replayed', 'true');
  if (run_id !== undefined && answered_by)
    return answerByRun(services, http, { run_id, until: answered_by === 'end' ? 'finished' : 'answered' });
  return sendAnswer(reply, received);
}

/** Addresses that platforms deliver to (§5.7). */
export function bindWebhooks(binder: Binder): void {
  const { app, services } = binder;
  const refusals = createRefusals(services, services.database.journal);
  app.addHook('onClose', () => refusals.flush());
  const receiveDelivery = createWebhooks({ services, receivers, refusals });
  for (const endpoint of publishedWebhooks) {
    const route = ROUTE.exec(endpoint.path)?.[1] ?? '';
    binder.raw(endpoint, async (_ctx, { params }, http) => {
      const { request } = http;
      const received = await receiveDelivery({
        route,
        node_id: params.node_id,
        method: request.method,
        headers: request.headers,
        query: request.query as Record<string, unknown>,
        readBody: () => binder.readBody(http, endpoint.body_limit),
      });
      return answer(services, http, received);
    });
  }
}
