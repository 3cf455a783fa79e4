import type { Failure } from '@millrace/engine';
import { implement } from '../implement.ts';
import { throwError } from './definition.ts';

export const runThrowError = implement(throwError, ({ params }) => {
  const message = params.errorMessage.trim() === '' ? 'Workflow error' : params.errorMessage;
  const failure: Failure = { kind: 'thrown', message, final: true };
  const status = params.httpStatusCode;
  if (status !== undefined) {
    failure.http_status = status;
    failure.details = { httpStatusCode: status };
  }
  return { failure };
});
