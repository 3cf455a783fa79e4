import type { WebhookAnswer } from '@millrace/nodes/runtime';
import type { FastifyReply } from 'fastify';
import { AppError, errorCodeOf } from '../../core/app-error.ts';

/** What a receiver refuses, in the words it has for the sender; undefined for every other answer. */
function refusalOf({ status, body: { detail }, headers = {} }: WebhookAnswer): AppError | undefined {
  const code = errorCodeOf(status);
  return code && typeof detail === 'string'
    ? new AppError(code, detail, { headers: { ...headers } })
    : undefined;
}

/** Sends what a receiver answers. Its refusals look like all others (§7): with a code, an id of the request, a scheme. */
export function sendAnswerOf(reply: FastifyReply, answer: WebhookAnswer): FastifyReply {
  const refusal = refusalOf(answer);
  if (refusal) throw refusal;
  return reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .send(answer.body);
}
