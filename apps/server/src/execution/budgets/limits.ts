import { DateValue, findStart } from '@millrace/engine/expression';
import type { SqlClient } from '../../database/sql-client.ts';
import type { BudgetAbove, Spender } from '../../ports/run/budgets.ts';

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
  /** Those who see the run may not see the amounts. */
  readonly is_private: boolean;
  /** Conditions on the traces that count. No trace meets two of them, and each has an index. */
  readonly counted: (place: (value: string) => string) => readonly string[];
}

/** Every budget that a call has to keep to. Days begin at midnight in the time zone of the service. */
export function listLimits(
  { user_id, run }: Spender,
  { user_budget_usd, dayStart }: { user_budget_usd: number | undefined; dayStart: () => string },
): CostLimit[] {
  const limits = run ? limitsOfWorkflow(run, dayStart) : [];
  if (user_budget_usd !== undefined) {
    const day_start = dayStart();
    limits.push({
      budget: 'user_day',
      id: `${user_id} ${day_start}`,
      title: 'the account for one day',
      place: 'in the settings of the account',
      amount_usd: user_budget_usd,
      // Collaborators and callers read the error of a run. What a person spends is shown to that person alone.
      is_private: run !== undefined,
      counted: (place) => [
        `user_id = ${place(user_id)}::uuid AND created_at >= ${place(day_start)}::timestamptz`,
      ],
    });
  }
  return limits;
}

type Counted = CostLimit['counted'];

/** With what was spent by the runs that it started, and by those below them. */
const countRun =
  (run_id: string): Counted =>
  (place) => [`run_id = ${place(run_id)}::uuid`, isBelow(place(run_id))];

/** With the nodes that it called, and the runs that they started. */
const countNode =
  (run_id: string, execution_key: string): Counted =>
  (place) => {
    const key = `${place(execution_key)}::text`;
    const own = `(execution_key = ${key} OR starts_with(execution_key, ${key} || ':'))`;
    return [`run_id = ${place(run_id)}::uuid AND ${own}`, isBelow(key)];
  };

/** Condition on the calls of runs that keep to a budget above them. */
export const isBelow = (id: string): string => `budget_ids @> ARRAY[${id}::text]`;

/** Those who see this run may not see the runs above it, so neither names nor amounts are shown. */
const limitAbove = ({ run_id, execution_key, amount_usd }: BudgetAbove): CostLimit =>
  execution_key === undefined
    ? {
        budget: 'run',
        id: run_id,
        title: 'the run that started this one',
        place: 'in the settings of its workflow',
        amount_usd,
        is_private: true,
        counted: countRun(run_id),
      }
    : {
        budget: 'node',
        id: execution_key,
        title: 'a node of the run that started this one',
        place: 'in that node',
        amount_usd,
        is_private: true,
        counted: countNode(run_id, execution_key),
      };

/** Those of a run and its nodes, and of the runs above it. */
export function listRunLimits({
  run_id,
  budget_usd,
  nodes,
  above,
}: Omit<NonNullable<Spender['run']>, 'workflow' | 'workflow_budget_usd'>): CostLimit[] {
  const limits = nodes.map(
    ({ label, execution_key, amount_usd }): CostLimit => ({
      budget: 'node',
      id: execution_key,
      title: `the node "${label}"`,
      place: 'in the node',
      amount_usd,
      is_private: false,
      counted: countNode(run_id, execution_key),
    }),
  );
  if (budget_usd !== undefined) {
    limits.push({
      budget: 'run',
      id: run_id,
      title: 'this run',
      place: 'in the settings of the workflow',
      amount_usd: budget_usd,
      is_private: false,
      counted: countRun(run_id),
    });
  }
  return [...limits, ...above.map(limitAbove)];
}

function limitsOfWorkflow(run: NonNullable<Spender['run']>, dayStart: () => string): CostLimit[] {
  const { workflow, workflow_budget_usd } = run;
  const limits = listRunLimits(run);
  if (workflow_budget_usd !== undefined) {
    const day_start = dayStart();
    limits.push({
      budget: 'workflow_day',
      id: `${workflow.id} ${day_start}`,
      title: `the workflow "${workflow.name}" for one day`,
      place: 'in the settings of the workflow',
      amount_usd: workflow_budget_usd,
      is_private: false,
      counted: (place) => [
        `workflow_id = ${place(workflow.id)}::uuid AND created_at >= ${place(day_start)}::timestamptz`,
      ],
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
  const sums = limits.map(({ counted }) =>
    counted(place)
      .map(
        (condition) =>
          `coalesce((SELECT sum(cost_usd) FROM traces WHERE cost_usd IS NOT NULL AND ${condition}), 0)::float8`,
      )
      .join(' + '),
  );
  const { rows } = await sql.query<{ spent: number[] }>({
    text: `SELECT ARRAY[${sums.join(', ')}] AS spent`,
    values,
  });
  return rows[0]?.spent ?? [];
}
