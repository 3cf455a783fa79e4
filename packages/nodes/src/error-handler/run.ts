import type { JsonObject } from '@millrace/engine';
import { implement } from '../implement.ts';
import { errorHandler } from './definition.ts';

export const runErrorHandler = implement(errorHandler, ({ params, error }) => {
  const output: JsonObject = { error: error ?? {} };
  if (params.message !== '') output['message'] = params.message;
  return { output };
});
