import { type Failure, NodeFailure } from '@millrace/engine';

/** How the failure of a call that was not made because a budget is used up names the budget. */
const KEY = 'budget_reached';

/**
 * A call of a model that was not made because a budget is used up. No other model is asked instead.
 *
 * @param facts which budget, its amount and what was spent
 */
export const budgetStop = (message: string, facts: NonNullable<Failure['details']>): NodeFailure =>
  new NodeFailure({ kind: 'limit', message, final: true, details: { [KEY]: facts } });

/** Whether a budget stopped a call of the node that failed so. */
export const isBudgetStop = ({ kind, details }: Failure): boolean =>
  kind === 'limit' && details?.[KEY] !== undefined;

/** The failure of a call that a budget stopped; undefined for every other error. */
export const budgetStopIn = (error: unknown): Failure | undefined =>
  error instanceof NodeFailure && isBudgetStop(error.failure) ? error.failure : undefined;
