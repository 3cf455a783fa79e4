import { readBudgetUse, readCostEstimate, readOwnBudgetUse, type Workflow } from '@millrace/contracts';
import { keepPreviousData } from '@tanstack/react-query';
import { useEndpoint } from './endpoint.ts';

/** The most that a run of the workflow will probably cost. Asked for again after each run and each saved change. */
export const useCostEstimate = (id: string) =>
  useEndpoint(readCostEstimate, { params: { id } }, { placeholderData: keepPreviousData });

const LOOK_MS = 15_000;

/** How much of the budgets of a workflow is spent, and of one of its runs; read anew when a budget is changed. */
export const useBudgetUse = (
  { id, run_budget_usd, daily_budget_usd }: Pick<Workflow, 'id' | 'run_budget_usd' | 'daily_budget_usd'>,
  { run_id, enabled }: { run_id: string | undefined; enabled: boolean },
) =>
  useEndpoint(
    readBudgetUse,
    { params: { id }, query: { run_id: run_id || undefined } },
    { edition: [run_budget_usd, daily_budget_usd], enabled, refetchInterval: LOOK_MS },
  );

/** How much of one's own budget of the day is spent. */
export const useOwnBudgetUse = (amount_usd: number) =>
  useEndpoint(readOwnBudgetUse, {}, { edition: amount_usd, refetchInterval: LOOK_MS });
