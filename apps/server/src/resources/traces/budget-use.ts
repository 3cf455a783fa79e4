import type { BudgetUse, BudgetUses } from '@millrace/contracts';
import {
  type CostLimit,
  dayStartOf,
  limitsOf,
  spentOf,
  WARNED_FROM,
} from '../../execution/budgets/limits.ts';
import { userBudgetOf } from '../../execution/budgets/user-budgets.ts';
import type { Needs } from '../../services.ts';
import { requireWorkflow } from '../workflows/access.ts';

type Reader = Needs<'db' | 'sql' | 'actor' | 'config' | 'now'>;

const dayStart =
  ({ now, config }: Reader) =>
  (): string =>
    dayStartOf(now(), config.TIMEZONE);

/** From the same sums as the budgets that stop calls. */
async function usesOf({ sql }: Reader, limits: readonly CostLimit[]): Promise<BudgetUses> {
  if (limits.length === 0) return { items: [] };
  const spent = await spentOf(sql, limits);
  const items: BudgetUse[] = [];
  for (const [at, { budget, amount_usd }] of limits.entries()) {
    // Budgets of nodes are not asked for here.
    if (budget === 'node') continue;
    const spent_usd = spent[at] ?? 0;
    items.push({ budget, amount_usd, spent_usd, state: stateOf(spent_usd, amount_usd) });
  }
  return { items };
}

function stateOf(spent_usd: number, amount_usd: number): BudgetUse['state'] {
  if (spent_usd >= amount_usd) return 'used_up';
  return spent_usd >= amount_usd * WARNED_FROM ? 'warned' : 'fine';
}

/** Budgets of the workflow. A run counts only if it is one of this workflow, which is the one that the person may see. */
export async function readBudgetUse(
  ctx: Reader,
  id: string,
  run_id: string | undefined,
): Promise<BudgetUses> {
  const { row } = await requireWorkflow(ctx, id, 'read');
  const run = {
    run_id: run_id ?? '',
    budget_usd: run_id === undefined ? undefined : (row.run_budget_usd ?? undefined),
    workflow: { id, name: row.name },
    workflow_budget_usd: row.daily_budget_usd ?? undefined,
    nodes: [],
  };
  const spender = { user_id: ctx.actor.user_id, run };
  const limits = limitsOf(spender, { user_budget_usd: undefined, dayStart: dayStart(ctx) });
  const bound = limits.map((limit) => ({
    ...limit,
    counted: (place: (value: string) => string) =>
      `${limit.counted(place)} AND workflow_id = ${place(id)}::uuid`,
  }));
  return usesOf(ctx, bound);
}

/** What a person spends is shown to that person alone. */
export async function readOwnBudgetUse(ctx: Reader): Promise<BudgetUses> {
  const { user_id } = ctx.actor;
  const user_budget_usd = await userBudgetOf(ctx.sql, user_id);
  return usesOf(ctx, limitsOf({ user_id }, { user_budget_usd, dayStart: dayStart(ctx) }));
}
