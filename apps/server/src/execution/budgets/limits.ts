import { DateValue, findStart } from '@millrace/engine/expression';
import type { SqlClient } from '../../database/sql-client.ts';
import type { Spender } from '../../ports/run/budgets.ts';

/** Share of a budget at which the log and the screens have a warning. */
export const WARNED_FROM = 0.8;

/** When the day of budgets began, as ISO 8601. */
export function computeDayStart(now_ms: number, time_zone: string): string {
  return new Date(findStart(new DateValue(now_ms, time_zone), 'day')?.ms ?? now_ms).toISOString();
}

/** A budget that holds for a call. */
export interface CostLimit {
  readonly budget: 'node' | 'run' | 'workflow_day' | 'user_day';
  /** Tells it apart from others of its kind. */
  readonly id: string;
  /** How errors name it, and where it can be raised. */
  readonly title: string;
  readonly place: string;
  readonly amount_usd: number;
  /** Condition on the traces that count, over the values of `values`. */
  readonly counted: (place: (value: string) => string) => string;
}

/** Every budget that a call has to keep to. Days begin at midnight in the time zone of the service. */
export function listLimits(
  { user_id, run }: Spender,
  { user_budget_usd, dayStart }: { user_budget_usd: number | undefined; dayStart: () => string },
): CostLimit[] {
  const limits: CostLimit[] = [];
  if (run) limits.push(...runLimits(run, dayStart));
  if (user_budget_usd !== undefined) {
    const day_start = dayStart();
    limits.push({
      budget: 'user_day',
      id: `${user_id} ${day_start}`,
      title: 'the account for one day',
      place: 'in the settings of the account',
      amount_usd: user_budget_usd,
      counted: (place) =>
        `user_id = ${place(user_id)}::uuid AND created_at >= ${place(day_start)}::timestamptz`,
    });
  }
  return limits;
}

function runLimits(run: NonNullable<Spender['run']>, dayStart: () => string): CostLimit[] {
  const { run_id, budget_usd, workflow, workflow_budget_usd, nodes } = run;
  const ofRun = (place: (value: string) => string) => `run_id = ${place(run_id)}::uuid`;
  const limits: CostLimit[] = nodes.map(({ label, execution_key, amount_usd }) => ({
    budget: 'node',
    id: execution_key,
    title: `the node "${label}"`,
    place: 'in the node',
    amount_usd,
    counted: (place) => {
      const key = `${place(execution_key)}::text`;
      return `${ofRun(place)} AND (execution_key = ${key} OR starts_with(execution_key, ${key} || ':'))`;
    },
  }));
  if (budget_usd !== undefined) {
    const place = 'in the settings of the workflow';
    limits.push({
      budget: 'run',
      id: run_id,
      title: 'this run',
      place,
      amount_usd: budget_usd,
      counted: ofRun,
    });
  }
  if (workflow_budget_usd !== undefined) {
    const day_start = dayStart();
    limits.push({
      budget: 'workflow_day',
      id: `${workflow.id} ${day_start}`,
      title: `the workflow "${workflow.name}" for one day`,
      place: 'in the settings of the workflow',
      amount_usd: workflow_budget_usd,
      counted: (place) =>
        `workflow_id = ${place(workflow.id)}::uuid AND created_at >= ${place(day_start)}::timestamptz`,
    });
  }
  return limits;
}

/** US dollars that were spent of each limit, from one statement over the stored traces. */
export async function loadSpending(sql: SqlClient, limits: readonly CostLimit[]): Promise<number[]> {
  const values: string[] = [];
  const place = (value: string): string => {
    const known = values.indexOf(value);
    return `$${known === -1 ? values.push(value) : known + 1}`;
  };
  const sums = limits.map(
    ({ counted }) =>
      `coalesce((SELECT sum(cost_usd) FROM traces WHERE cost_usd IS NOT NULL AND ${counted(place)}), 0)::float8`,
  );
  const { rows } = await sql.query<{ spent: number[] }>({
    text: `SELECT ARRAY[${sums.join(', ')}] AS spent`,
    values,
  });
  return rows[0]?.spent ?? [];
}
