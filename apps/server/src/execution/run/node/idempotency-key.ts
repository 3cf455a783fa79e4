import type { NodeTask } from '@millrace/engine';

/** How the keys of a node begin, whatever its round. */
export const beforeRound = (run_id: string, node_id: string): string => `${run_id}:${node_id}:`;

/** The same for every repetition of a node in its round, whichever process repeats it. */
export const idempotencyKey = (run_id: string, { node, iteration }: NodeTask): string =>
  `${beforeRound(run_id, node.id)}${iteration}`;
