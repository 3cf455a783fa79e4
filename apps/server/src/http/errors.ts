import { ERROR_STATUS, type ErrorBody, type FieldProblem } from '@millrace/contracts';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError, findErrorCode, invalidField, readAnswerHeaders } from '../core/app-error.ts';
import { walkCauses } from '../core/error-chain.ts';
import { isConnectionLoss } from '../database/connection-loss.ts';
import { FileStoreUnavailable } from '../ports/file-store.ts';

/** Where the wrong input stood; the first entry of each `loc` (§ error body: `["body", "name"]`). */
export type InputPlace = 'body' | 'query' | 'path';

/** A list of thousands of wrong elements would be answered with many times its own size. */
const MOST_PROBLEMS = 100;

/** How many problems were left out, as the last entry of their list. */
const leftOut = (count: number, place: InputPlace): FieldProblem => ({
  loc: [place],
  msg: `and ${count} more`,
  type: 'more',
});

/** Turns zod's findings into the 422 detail: the wrong fields, up to a hundred, each with its place and what to do. */
export function invalidInput(error: z.ZodError, place: InputPlace): AppError {
  const detail = error.issues.flatMap((issue): FieldProblem[] => {
    const loc = [place, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        loc: [...loc, key],
        msg: 'is not a known field',
        type: 'extra_forbidden',
      }));
    }
    return [{ loc, msg: issue.message, type: issue.code }];
  });
  const more = detail.length - MOST_PROBLEMS;
  return new AppError('invalid_input', 'Some fields are not valid', {
    detail: more > 0 ? [...detail.slice(0, MOST_PROBLEMS), leftOut(more, place)] : detail,
  });
}

/** `character_not_in_repertoire` and `untranslatable_character`: a text that no text column can hold. */
const UNSTORABLE: ReadonlySet<unknown> = new Set(['22021', '22P05']);

function isUnstorable(error: unknown): boolean {
  for (const at of walkCauses(error)) if (UNSTORABLE.has((at as { code?: unknown }).code)) return true;
  return false;
}

/** Way to the first text with a NUL character, also where it is a key. */
function pathToNul(value: unknown, path: (string | number)[]): (string | number)[] | undefined {
  if (typeof value === 'string') return value.includes('\0') ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const inside = [...path, Array.isArray(value) ? Number(key) : key];
    const found = key.includes('\0') ? inside : pathToNul(item, inside);
    if (found) return found;
  }
  return undefined;
}

const withNul = (loc: (string | number)[]): AppError =>
  invalidField(loc, 'must not contain NUL characters', 'string_invalid');

function unstorable({ body, query, params }: FastifyRequest): AppError {
  const loc = pathToNul(body, ['body']) ?? pathToNul(query, ['query']) ?? pathToNul(params, ['path']);
  return withNul(loc ?? ['body']);
}

/**
 * Refuses what no column can hold before anything is asked of the database: no object has such an address (404), and a
 * parameter of the query is named (422). What a run is given may have it.
 */
export function refuseUnstorable({ params, query }: FastifyRequest, readsQuery: boolean): void {
  if (pathToNul(params, []) !== undefined) throw new AppError('not_found', 'Nothing lives at this address');
  const loc = readsQuery ? pathToNul(query, ['query']) : undefined;
  if (loc) throw withNul(loc);
}

function unreachable(what: string, cause: Error): AppError {
  return new AppError('unavailable', `The ${what} cannot be reached; try again in a moment`, {
    headers: { 'Retry-After': '1' },
    cause,
  });
}

function toRefusal(error: FastifyError | AppError | Error, request: FastifyRequest): AppError | undefined {
  if (error instanceof AppError) return error;
  if (isUnstorable(error)) return unstorable(request);
  if (isConnectionLoss(error)) return unreachable('database', error);
  if (error instanceof FileStoreUnavailable) return unreachable('file storage', error);
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new AppError('too_large', 'The request body is too large');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const message = 'Content-Type is empty or not valid; for JSON it is application/json';
    return new AppError('unsupported_media_type', message);
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError(findErrorCode(statusCode) ?? 'invalid_input', 'The request could not be understood');
  }
  return undefined;
}

export function toErrorBody(error: AppError, request_id: string): ErrorBody {
  const field = error.field === undefined ? {} : { field: error.field };
  const tries = error.tries_left === undefined ? {} : { tries_left: error.tries_left };
  return { detail: error.detail ?? error.message, code: error.code, ...field, ...tries, request_id };
}

const UNAUTHENTICATED = ERROR_STATUS.unauthenticated;

function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  if (error.status >= 500) request.log.warn({ err: error.cause ?? error }, error.message);
  // Every 401 has to say which scheme applies (RFC 9110 section 15.5.2).
  if (error.status === UNAUTHENTICATED) reply.header('WWW-Authenticate', 'Bearer');
  return reply.code(error.status).headers(error.headers).send(toErrorBody(error, request.id));
}

/** The one place where errors become answers. Causes are logged, never sent. */
export function installErrorHandling(app: FastifyInstance): void {
  app.setErrorHandler((error: Error, request, reply) => {
    reply.headers(readAnswerHeaders(error));
    const refusal = toRefusal(error, request);
    if (refusal) return sendRefusal(request, reply, refusal);
    request.log.error({ err: error }, 'request failed');
    return sendRefusal(request, reply, new AppError('internal', 'Something went wrong on our side'));
  });
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;

interface UnknownAddresses {
  readonly isPage: (request: FastifyRequest) => boolean;
  readonly page: Answer;
  /** Verbs that an address takes; none when nothing lives there. */
  readonly listVerbs: (path: string) => readonly string[];
}

/** Addresses without a route: the page where `isPage` says that a person opened one, 405 for another verb, else 404. */
export function installNotFound(app: FastifyInstance, { isPage, page, listVerbs }: UnknownAddresses): void {
  app.setNotFoundHandler((request, reply) => {
    if (isPage(request)) return page(request, reply);
    const verbs = listVerbs(request.url.split('?')[0] ?? '');
    if (verbs.length === 0) return sendRefusal(request, reply, new AppError('not_found', 'No such address'));
    const headers = { Allow: verbs.join(', ') };
    const message = `This address does not answer ${request.method}`;
    return sendRefusal(request, reply, new AppError('method_not_allowed', message, { headers }));
  });
}
