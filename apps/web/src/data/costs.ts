import { readBudgetUse, readCostEstimate, readOwnBudgetUse, type Workflow } from '@millrace/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

/** The most that a run of the workflow will probably cost. Asked for again after each run and each saved change. */
export const useCostEstimate = (id: string) =>
  useQuery({
    queryKey: keys.costEstimate(id),
    queryFn: ({ signal }) => api(readCostEstimate, { params: { id } }, { signal }),
    placeholderData: keepPreviousData,
  });

const LOOK_MS = 15_000;

/** How much of the budgets of a workflow is spent, and of one of its runs; read anew when a budget is changed. */
export const useBudgetUse = (
  { id, run_budget_usd, daily_budget_usd }: Pick<Workflow, 'id' | 'run_budget_usd' | 'daily_budget_usd'>,
  { run_id, enabled }: { run_id: string | undefined; enabled: boolean },
) =>
  useQuery({
    queryKey: keys.budgetUse(id, [run_id, run_budget_usd, daily_budget_usd]),
    queryFn: ({ signal }) =>
      api(readBudgetUse, { params: { id }, query: run_id ? { run_id } : {} }, { signal }),
    enabled,
    refetchInterval: LOOK_MS,
  });

/** How much of one's own budget of the day is spent. */
export const useOwnBudgetUse = (amount_usd: number) =>
  useQuery({
    queryKey: keys.budgetUse('me', [amount_usd]),
    queryFn: ({ signal }) => api(readOwnBudgetUse, {}, { signal }),
    refetchInterval: LOOK_MS,
  });
