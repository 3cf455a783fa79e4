import type { NodeTask } from '@millrace/engine';

/** The same for every repetition of a node in its round, whichever process repeats it. */
export const idempotencyKey = (run_id: string, { node, iteration }: NodeTask): string =>
  `${run_id}:${node.id}:${iteration}`;
