import type { JsonObject } from '@millrace/engine';
import { implement } from '../implement.ts';
import { errorHandler } from './definition.ts';

export const runErrorHandler = implement(errorHandler, ({ params, error, started_at_ms }) => {
  const output: JsonObject = {
    error: error ?? {},
    errorNode: error?.['node_label'] ?? '',
    errorNodeType: error?.['node_type'] ?? '',
    timestamp: new Date(started_at_ms).toISOString(),
  };
  if (params.message !== '') output['message'] = params.message;
  return { output };
});
