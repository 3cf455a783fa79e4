import type { NodeTask } from '@millrace/engine';

/** How the keys of a node begin in each round; `execution/store/encoding/lineage.ts` reads the id of the run from them. */
export const beforeRound = (run_id: string, node_id: string): string => `${run_id}:${node_id}:`;

/** The same for every repetition of a node in its round, whichever process repeats it. */
export const idempotencyKey = (run_id: string, { node, iteration }: NodeTask): string =>
  `${beforeRound(run_id, node.id)}${iteration}`;
