import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/app-error.ts';
import { newId } from '../core/ids.ts';
import { toErrorBody } from './errors.ts';

const WORDS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The address is not valid; look at its % escapes',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the address is too long',
};

/** Addresses that no route can be looked up for: answered like every other refusal, and without repeating them. */
export function answerUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = new AppError('bad_request', WORDS[error.code] ?? 'The address is not valid');
  reply.code(refusal.status).send(toErrorBody(refusal, request.id));
}

interface Unreadable {
  readonly status: 400 | 408 | 431;
  readonly message: string;
}

function unreadable(code: string | undefined): Unreadable {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, message: 'The request did not arrive in time' };
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, message: 'The address and the headers together are too large' };
  return { status: 400, message: 'This is not a valid HTTP request' };
}

/** Answers input that is no HTTP: there is no request yet, so the answer is written by hand. */
export function answerUnreadable(this: FastifyInstance, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, message } = unreadable(error.code);
  const request_id = newId();
  this.log.debug({ err: error, request_id }, 'a request could not be read');
  const body = JSON.stringify(toErrorBody(new AppError('bad_request', message), request_id));
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8`;
  if (socket.writable) socket.write(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  socket.destroy(error);
}

/**
 * Refuses to delete at an address that ends with a slash. The id that belongs behind it may be missing, as in a script
 * whose variable is empty, and without it the address names everything.
 */
export function refuseCutDeletes(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ method, url }) => {
    if (method === 'DELETE' && /\/(?:\?|$)/.test(url))
      throw new AppError('not_found', 'The address ends with a slash; add the id of what is to be deleted');
  });
}
