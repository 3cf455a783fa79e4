import { createHash } from 'node:crypto';
import type { Ambient, Json } from '@millrace/engine';
import { eventKey } from '@millrace/nodes/runtime';

/**
 * A text that is the same for inputs with the same value of an expression; undefined for one without a value. The value
 * itself, which may be a secret, is not in it.
 *
 * @throws ExpressionError for a value that cannot be computed
 */
export function hashOfKey(
  key: { readonly expression: string },
  input: Json,
  ambient: Ambient,
): string | undefined {
  const text = eventKey(key, input, ambient);
  return text === undefined ? undefined : createHash('sha256').update(text).digest('hex');
}
