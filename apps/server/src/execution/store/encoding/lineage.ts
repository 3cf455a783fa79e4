// `dispatch` of the node for sub-workflows makes such runs; `beforeRound` writes their keys.

/** A run that a node started without waiting for it: it has no parent, and its key begins with the run of that node. */
const isDispatched = (alias: string): string =>
  `${alias}.parent_run_id IS NULL AND ${alias}.root_run_id IS NOT NULL`;

/** The id of the run whose node started a run, as its key has it. */
export const cutCallerId = (alias: string): string => `substr(${alias}.idempotency_key, 1, 36)`;

/** The run that called this one, waiting for it or not; null for all others. */
export const buildCallerSql = (alias: string): string =>
  `CASE WHEN ${isDispatched(alias)} THEN ${cutCallerId(alias)} ELSE ${alias}.parent_run_id::text END`;

/** Ids of the runs that a run called; takes its id twice. Each half has an index of its own. */
export const CALLED_BY = `SELECT c.id FROM runs c WHERE c.parent_run_id = ?
  UNION ALL SELECT c.id FROM runs c WHERE ${isDispatched('c')} AND ${cutCallerId('c')} = ?`;
