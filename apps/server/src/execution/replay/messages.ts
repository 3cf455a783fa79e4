import type { RefusedReplay } from '@millrace/engine';
import { type AppError, invalidField } from '../../core/app-error.ts';

function describeRefusal({ reason, node, from }: RefusedReplay): string {
  switch (reason) {
    case 'unknown_node':
      return `The workflow has no node "${node}" in this version`;
    case 'error_flow':
      return `"${node}" belongs to the error flow, which only a failure starts; begin at the node that failed`;
    case 'not_run':
      return `"${node}" is never run by itself`;
    case 'loop_alone':
      return `"${node}" is a loop and runs together with its body; replay from it instead of only it`;
    case 'unknown_round':
      return `"${node}" did not run in this round of its loop; begin at the loop, or give another iteration`;
    case 'not_reached':
      return `"${node}" was not reached in that run: the branch that leads to it was not taken, or it is switched off`;
    case 'no_result':
      return `"${node}", which "${from}" needs, has no result in that run; begin at "${node}"`;
    case 'masked':
      return `The result of "${node}" can no longer be reused: secrets in it are masked, and what was sealed cannot be opened; begin at "${node}" or at the start`;
    default:
      return reason satisfies never;
  }
}

/** Why a run cannot be replayed from there; `type` is the reason. */
export const refusedReplay = (refused: RefusedReplay): AppError =>
  invalidField(['body', 'node_id'], describeRefusal(refused), refused.reason);
