import type { BudgetUse, Workflow } from '@millrace/contracts';
import { clsx } from 'clsx';
import { useLocale } from 'use-intl';
import { useBudgetUse, useOwnBudgetUse } from '../../data/costs.ts';
import { costText } from '../../lib/cost-text.ts';
import { useWorkflowTexts } from './texts/use-workflow-texts.ts';

interface WorkflowBudgetNoticesProps {
  workflow: Pick<Workflow, 'id' | 'run_budget_usd' | 'daily_budget_usd'>;
  /** Whether nodes have a budget of their own. */
  of_nodes: boolean;
  /** The run that is shown. */
  run_id: string | undefined;
}

/** Says when 80 % of a budget of the workflow, its run or its nodes is spent, or all of it. */
export function WorkflowBudgetNotices({ workflow, of_nodes, run_id }: WorkflowBudgetNoticesProps) {
  const { run_budget_usd, daily_budget_usd } = workflow;
  const is_of_run = run_id !== undefined && (run_budget_usd !== null || of_nodes);
  const has_budget = daily_budget_usd !== null || is_of_run;
  const { data } = useBudgetUse(workflow, { run_id, enabled: has_budget });
  // Uses that were read before the budgets were taken away are not shown any more.
  return has_budget && data ? <Lines uses={data.items} /> : null;
}

/** The same for what the person may spend in a day. */
export function OwnBudgetNotice({ amount_usd }: { amount_usd: number }) {
  const { data } = useOwnBudgetUse(amount_usd);
  return data ? <Lines uses={data.items} /> : null;
}

function Lines({ uses }: { uses: readonly BudgetUse[] }) {
  const t = useWorkflowTexts();
  const locale = useLocale();
  return uses.map(({ budget, node_label, state, amount_usd, spent_usd }) =>
    state === 'fine' ? null : (
      <p
        key={`${budget} ${node_label}`}
        role="status"
        className={clsx(
          'shrink-0 border-b px-4 py-1.5 text-sm',
          state === 'used_up'
            ? 'border-danger-line bg-danger-tint text-danger'
            : 'border-warning-line bg-warning-tint text-text',
        )}
      >
        {t(`budget_${budget}`, { node: node_label ?? '' })}{' '}
        {t(`budget_${state}`, {
          spent: costText(spent_usd, locale),
          amount: costText(amount_usd, locale),
        })}
      </p>
    ),
  );
}
