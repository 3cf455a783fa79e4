import type { CompiledNode } from '../workflow/compiled.ts';
import type { Failure } from './node-run.ts';

/** Whether another attempt follows this failed one. */
export function mayRetry(node: CompiledNode, attempt: number, failure: Failure): boolean {
  if (node.retry === null || failure.final === true) return false;
  // The same stored text fails the same way; a cancelled node was stopped on purpose; an unknown outcome may
  // have happened, so repeating it is the node's decision, not that of a retry setting.
  if (failure.kind === 'cancelled' || failure.kind === 'limit' || failure.kind === 'outcome_unknown')
    return false;
  return attempt < node.retry.max_attempts;
}
