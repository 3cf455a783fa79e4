import type { NodeBudget } from '@millrace/nodes/runtime';
import type { Spender } from '../../../ports/run/budgets.ts';
import { readBudgetsAbove } from '../../budgets/budgets-above.ts';
import type { Executor } from '../executor.ts';

/** The run as budgets see it. Budgets of workflows hold for runs that start after they were set. */
export function createSpender(
  { begin, workflow, workflow_id, run_id, run_as }: Executor,
  nodes: readonly NodeBudget[],
): Required<Spender> {
  const { name, run_budget_usd, daily_budget_usd } = workflow.settings;
  return {
    user_id: run_as,
    run: {
      run_id,
      budget_usd: run_budget_usd,
      workflow: { id: workflow_id, name },
      workflow_budget_usd: daily_budget_usd,
      nodes,
      above: readBudgetsAbove(begin),
    },
  };
}
