import { ERROR_STATUS, type ErrorCode, type FieldProblem } from '@millrace/contracts';

export interface AppErrorOptions {
  /** Extra answer headers, for example `Retry-After`. */
  headers?: Record<string, string>;
  /** Replaces the message as `detail` of the answer: the wrong fields of a 422, the current state of a 409. */
  detail?: FieldProblem[] | Record<string, unknown>;
  /** Field of the body that names what was not found; absent: the address names it. */
  field?: string;
  /** How often a failed login of a portal may be repeated. */
  tries_left?: number | undefined;
  /** Logged, never answered. */
  cause?: unknown;
}

/**
 * A refusal. `message` is public; the status follows from the code. Anything else that is thrown is a bug and answers
 * 500 without a word about its cause.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;
  readonly detail: FieldProblem[] | Record<string, unknown> | undefined;
  readonly field: string | undefined;
  readonly tries_left: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.headers = options.headers ?? {};
    this.detail = options.detail;
    this.field = options.field;
    this.tries_left = options.tries_left;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

const failureHeaders = new WeakMap<object, Record<string, string>>();

/** Gives the answer to an error more headers, also when that is the plain 500 of a bug. */
export function addAnswerHeaders(error: unknown, headers: Record<string, string>): void {
  if (error instanceof AppError) Object.assign(error.headers, headers);
  else if (typeof error === 'object' && error !== null) failureHeaders.set(error, headers);
}

/** The headers that an error which is no refusal was given. */
export const readAnswerHeaders = (error: object): Record<string, string> => failureHeaders.get(error) ?? {};

/** The code that answers with a status; undefined when no refusal has it. */
export const findErrorCode = (status: number): ErrorCode | undefined =>
  (Object.keys(ERROR_STATUS) as ErrorCode[]).find((code) => ERROR_STATUS[code] === status);

/**
 * A thing that is missing or that the caller may not see; both answer alike.
 *
 * @param field of the body, where that names the thing and not the address
 */
export const notFound = (thing: string, field?: string) =>
  new AppError('not_found', `${thing} not found`, field === undefined ? {} : { field });

export const forbidden = (message: string) => new AppError('forbidden', message);

export const conflict = (message: string, detail?: Record<string, unknown>) =>
  new AppError('conflict', message, detail ? { detail: { message, ...detail } } : {});

export const unauthenticated = (
  message = 'Sign in to continue',
  options: Pick<AppErrorOptions, 'tries_left'> = {},
) => new AppError('unauthenticated', message, { headers: { 'WWW-Authenticate': 'Bearer' }, ...options });

/** One wrong field of a request; `loc` leads to it. */
export const invalidField = (loc: (string | number)[], msg: string, type = 'value_error') =>
  new AppError('invalid_input', msg, { detail: [{ loc, msg, type }] });
