import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { NodeBudget } from '@millrace/nodes/runtime';
import type { BudgetAbove } from '../../ports/run/budgets.ts';
import type { RunBegin } from '../model/run.ts';

/** Stored with a run that others started, so that it keeps to their budgets on every process. */
const OPTION = 'budgets_above';

/** A run and what holds for it. */
interface Caller {
  readonly begin: Pick<RunBegin, 'run_id' | 'options'>;
  readonly workflow: { readonly settings: { readonly run_budget_usd?: number | undefined } };
}

/** Budgets that a run has to keep to beside its own: those of the runs that started it, and of nodes in them. */
export function readBudgetsAbove({ options }: Pick<RunBegin, 'options'>): readonly BudgetAbove[] {
  const stored = options[OPTION];
  return Array.isArray(stored) ? stored.flatMap(readBudget) : [];
}

function readBudget(stored: Json): BudgetAbove[] {
  if (!isJsonObject(stored)) return [];
  const { run_id, execution_key, amount_usd } = stored;
  if (typeof run_id !== 'string' || typeof amount_usd !== 'number') return [];
  return [{ run_id, amount_usd, ...(typeof execution_key === 'string' ? { execution_key } : {}) }];
}

/**
 * Options of a run that this one starts; empty without budgets, so that nothing is stored.
 *
 * @param nodes budgets of the node that starts it, and of the nodes that called that one
 */
export function passedBudgets({ begin, workflow }: Caller, nodes: readonly NodeBudget[]): JsonObject {
  const { run_id } = begin;
  const { run_budget_usd } = workflow.settings;
  const passed: readonly BudgetAbove[] = [
    ...readBudgetsAbove(begin),
    ...(run_budget_usd === undefined ? [] : [{ run_id, amount_usd: run_budget_usd }]),
    ...nodes.map(({ execution_key, amount_usd }) => ({ run_id, execution_key, amount_usd })),
  ];
  return passed.length === 0 ? {} : { [OPTION]: passed.map((budget) => ({ ...budget })) };
}

/** Ids by which the cost of a call is found for the budgets above its run: those of the runs, and keys of nodes in them. */
export function listBudgetIds(begin: Pick<RunBegin, 'options'>): readonly string[] {
  const ids = readBudgetsAbove(begin).flatMap(({ run_id, execution_key }) =>
    execution_key === undefined ? [run_id] : [run_id, execution_key],
  );
  return [...new Set(ids)];
}
