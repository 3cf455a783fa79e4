import type { BudgetUse, BudgetUses } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import {
  type CostLimit,
  computeDayStart,
  isBelow,
  listLimits,
  loadSpending,
  WARNED_FROM,
} from '../../execution/budgets/limits.ts';
import { loadUserBudget } from '../../execution/budgets/user-budgets.ts';
import { graphOfRun } from '../../execution/store/pinned-graphs.ts';
import type { Needs } from '../../services.ts';
import { requireWorkflow, type VisibleWorkflow } from '../workflows/access.ts';
import { presentGraph } from '../workflows/service.ts';
import { costliestRounds } from './cost-queries.ts';
import { modelNodes, readCostBudget } from './node-limits.ts';

type Reader = Needs<'db' | 'sql' | 'actor' | 'config' | 'now'>;

const dayStart =
  ({ now, config }: Reader) =>
  (): string =>
    computeDayStart(now(), config.TIMEZONE);

/** From the same sums as the budgets that stop calls. */
async function loadUses({ sql }: Reader, limits: readonly CostLimit[]): Promise<BudgetUses> {
  if (limits.length === 0) return { items: [] };
  const spent = await loadSpending(sql, limits);
  const items: BudgetUse[] = [];
  for (const [at, { budget, amount_usd }] of limits.entries()) {
    const spent_usd = spent[at] ?? 0;
    items.push({
      budget,
      node_label: null,
      amount_usd,
      spent_usd,
      state: classifySpending(spent_usd, amount_usd),
    });
  }
  return { items };
}

function classifySpending(spent_usd: number, amount_usd: number): BudgetUse['state'] {
  if (spent_usd >= amount_usd) return 'used_up';
  return spent_usd >= amount_usd * WARNED_FROM ? 'warned' : 'fine';
}

/** Budgets of the workflow. A run counts only if it is one of this workflow, which is the one that the person may see. */
export async function readBudgetUse(
  ctx: Reader,
  id: string,
  run_id: string | undefined,
): Promise<BudgetUses> {
  const visible = await requireWorkflow(ctx, id, 'read');
  const { row } = visible;
  const run = {
    run_id: run_id ?? '',
    budget_usd: run_id === undefined ? undefined : (row.run_budget_usd ?? undefined),
    workflow: { id, name: row.name },
    workflow_budget_usd: row.daily_budget_usd ?? undefined,
    nodes: [],
    above: [],
  };
  const spender = { user_id: ctx.actor.user_id, run };
  const limits = listLimits(spender, { user_budget_usd: undefined, dayStart: dayStart(ctx) });
  const bound = limits.map((limit) => ({
    ...limit,
    counted: (place: (value: string) => string) =>
      limit.counted(place).map((condition) => `${condition} AND ${isOfWorkflow(place, { id, run_id })}`),
  }));
  const { items } = await loadUses(ctx, bound);
  if (run_id === undefined) return { items };
  return { items: [...items, ...(await usesOfNodes(ctx, visible, run_id))] };
}

/** Holds for traces of the workflow, and for those of the runs that its run has started. */
function isOfWorkflow(
  place: (value: string) => string,
  { id, run_id }: { readonly id: string; readonly run_id: string | undefined },
): string {
  const own = `workflow_id = ${place(id)}::uuid`;
  if (run_id === undefined) return own;
  const ofRun = `EXISTS (SELECT FROM runs r WHERE r.id = ${place(run_id)}::uuid AND r.workflow_id = ${place(id)}::uuid)`;
  return `(${own} OR (${isBelow(place(run_id))} AND ${ofRun}))`;
}

/** Reads the graph that the run was started with, which sets its budgets; the present graph where that has been deleted. */
async function readGraph(ctx: Reader, visible: VisibleWorkflow, run_id: string): Promise<WorkflowDocument> {
  const pinned = await graphOfRun(ctx.sql, run_id);
  if (pinned?.workflow_id === visible.row.id)
    return { nodes: JSON.parse(pinned.nodes), edges: JSON.parse(pinned.edges) };
  return presentGraph(ctx.db, visible);
}

async function usesOfNodes(ctx: Reader, visible: VisibleWorkflow, run_id: string): Promise<BudgetUse[]> {
  const budgeted = modelNodes(await readGraph(ctx, visible, run_id)).flatMap((node) => {
    const amount_usd = readCostBudget(node);
    return amount_usd === undefined ? [] : [{ id: node.id, node_label: node.label, amount_usd }];
  });
  if (budgeted.length === 0) return [];
  const node_ids = budgeted.map(({ id }) => id);
  const spent = await costliestRounds(ctx.sql, { workflow_id: visible.row.id, run_id, node_ids });
  return budgeted.map(({ amount_usd, node_label }, at) => {
    const spent_usd = spent[at] ?? 0;
    return {
      budget: 'node',
      node_label,
      amount_usd,
      spent_usd,
      state: classifySpending(spent_usd, amount_usd),
    };
  });
}

/** The spending of a person is shown to that person alone. */
export async function readOwnBudgetUse(ctx: Reader): Promise<BudgetUses> {
  const { user_id } = ctx.actor;
  const user_budget_usd = await loadUserBudget(ctx.sql, user_id);
  return loadUses(ctx, listLimits({ user_id }, { user_budget_usd, dayStart: dayStart(ctx) }));
}
