import type { PlannedCall } from '@millrace/models';
import type { NodeBudget } from '@millrace/nodes/runtime';

/** The budget of a run that started another one, directly or through others, or of a node in it. */
export interface BudgetAbove {
  readonly run_id: string;
  /** Of the node; absent: the budget is that of the run. */
  readonly execution_key?: string;
  /** US dollars. */
  readonly amount_usd: number;
}

/** For whom and what a model is about to be called, and what that may cost. Amounts are US dollars; undefined: no budget. */
export interface Spender {
  /** Person in whose name the model is asked; their own budget holds for all of their calls. */
  readonly user_id: string;
  readonly run?: {
    readonly run_id: string;
    readonly budget_usd: number | undefined;
    readonly workflow: { readonly id: string; readonly name: string };
    /** Of all runs of the workflow in one day. */
    readonly workflow_budget_usd: number | undefined;
    readonly nodes: readonly NodeBudget[];
    readonly above: readonly BudgetAbove[];
  };
}

/** Limits on the cost of calls of models (docs/durability.md, Cost budgets). */
export interface Budgets {
  /**
   * Resolves if the call may be made. Without a budget it reads nothing; otherwise one statement reads what was spent. Calls
   * of models without a known price are always made, and never counted, unless they say themselves what they cost.
   *
   * @throws NodeFailure of the kind `limit` that names the budget, its amount and what was spent
   */
  require(call: PlannedCall, spender: Spender): Promise<void>;

  /**
   * Resolves if the budgets of the run, of the runs above it and of the nodes have something left. Without such a budget it reads
   * nothing.
   *
   * @throws NodeFailure as above
   */
  requireLeft(spender: Required<Spender>): Promise<void>;
}
