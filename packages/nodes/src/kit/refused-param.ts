import { NodeFailure } from '@millrace/engine';

/**
 * A parameter that cannot be used, which another attempt would not change. `words` follow the name of the field, which
 * `implement` adds as the form has it: `must be a whole number`.
 */
export function refusedParam(field: string, words: string): NodeFailure {
  return new NodeFailure({ kind: 'params', field, message: words, final: true });
}
