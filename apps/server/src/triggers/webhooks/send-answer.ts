import type { WebhookAnswer } from '@millrace/nodes/runtime';
import type { FastifyReply } from 'fastify';
import { AppError, findErrorCode } from '../../core/app-error.ts';

/** The refusal of a receiver, in the words it has for the sender; undefined for every other answer. */
function toRefusal({ status, body: { detail }, headers = {} }: WebhookAnswer): AppError | undefined {
  const code = findErrorCode(status);
  return code && typeof detail === 'string'
    ? new AppError(code, detail, { headers: { ...headers } })
    : undefined;
}

/** Sends what a receiver answers. Its refusals look like all others (§7): with a code, an id of the request, a scheme. */
export function sendAnswer(reply: FastifyReply, answer: WebhookAnswer): FastifyReply {
  const refusal = toRefusal(answer);
  if (refusal) throw refusal;
  return reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .send(answer.body);
}
