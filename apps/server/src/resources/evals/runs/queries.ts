import type { EvalRunStatus } from '@millrace/contracts';
import { and, asc, count, desc, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../database/database.ts';
import { evalResults, evalRunCases, evalRuns } from '../../../database/schema/index.ts';
import { sqlWithin } from '../../../database/sql-within.ts';

export type RunRow = typeof evalRuns.$inferSelect;
export type ResultRow = typeof evalResults.$inferSelect;

const { status, actual_output, is_pass, cost_usd, judge_cost_usd } = evalResults;

/** The sum, and null when one of the rows that should have a cost has none. */
const known = (cost: typeof cost_usd | typeof judge_cost_usd, paid: SQL): SQL<number | null> =>
  sql`CASE WHEN count(*) FILTER (WHERE ${paid} AND ${cost} IS NULL) = 0 THEN sum(${cost}) END`;

export const selectRuns = (db: Db, which: SQL | undefined) => {
  const counts = db
    .select({
      total_count: sql<number>`count(*)::int`.as('total_count'),
      done_count: sql<number>`(count(*) FILTER (WHERE ${status} IN ('completed', 'failed')))::int`.as(
        'done_count',
      ),
      pass_count: sql<number>`(count(*) FILTER (WHERE ${is_pass}))::int`.as('pass_count'),
      error_count: sql<number>`(count(*) FILTER (WHERE ${status} = 'failed'))::int`.as('error_count'),
      cost_usd: known(cost_usd, sql`${actual_output} IS NOT NULL`).as('cost_usd'),
      judge_cost_usd: known(
        judge_cost_usd,
        sql`${status} = 'completed' AND ${evalRuns.scoring_method} = 'llm_judge'`,
      ).as('judge_cost_usd'),
    })
    .from(evalResults)
    .where(eq(evalResults.run_id, evalRuns.id))
    .as('counts');
  return db
    .select({
      run: evalRuns,
      counts: {
        total_count: counts.total_count,
        done_count: counts.done_count,
        pass_count: counts.pass_count,
        error_count: counts.error_count,
        cost_usd: counts.cost_usd,
        judge_cost_usd: counts.judge_cost_usd,
      },
    })
    .from(evalRuns)
    .innerJoinLateral(counts, sql`true`)
    .where(which)
    .orderBy(desc(evalRuns.id));
};

export type CountedRun = Awaited<ReturnType<typeof selectRuns>>[number];

export const listRuns = (db: Db, suite_id: string): Promise<CountedRun[]> =>
  selectRuns(db, eq(evalRuns.suite_id, suite_id));

/** The last run of each suite of a person. */
export const newestRuns = (db: Db, owner_id: string): Promise<CountedRun[]> => {
  const newest = db
    .selectDistinctOn([evalRuns.suite_id], { id: evalRuns.id })
    .from(evalRuns)
    .where(eq(evalRuns.owner_id, owner_id))
    .orderBy(evalRuns.suite_id, desc(evalRuns.id));
  return selectRuns(db, inArray(evalRuns.id, newest));
};

/** Undefined for a run of another person. */
export async function findRun(db: Db, owner_id: string, id: string): Promise<CountedRun | undefined> {
  const [row] = await selectRuns(db, and(eq(evalRuns.id, id), eq(evalRuns.owner_id, owner_id)));
  return row;
}

/** How many runs of a suite there are, and how many of their owner have not ended. */
export async function runRoom(
  db: Db,
  { owner_id, suite_id }: { owner_id: string; suite_id: string },
): Promise<{ kept: number; open: number }> {
  const [kept] = await db.select({ total: count() }).from(evalRuns).where(eq(evalRuns.suite_id, suite_id));
  const [open] = await db
    .select({ total: count() })
    .from(evalRuns)
    .where(and(eq(evalRuns.owner_id, owner_id), isNull(evalRuns.finished_at)));
  return { kept: kept?.total ?? 0, open: open?.total ?? 0 };
}

/** Stores a run with the test cases of its suite as they are, and a place for each answer. */
export async function insertRun(db: Db, run: typeof evalRuns.$inferInsert): Promise<void> {
  const tx = sqlWithin(db);
  await db.insert(evalRuns).values(run);
  await tx.query({
    text: `INSERT INTO eval_run_cases (run_id, case_index, test_case_id, input, input_mode, expected_output, expected_mode)
      SELECT $1::uuid, row_number() OVER (ORDER BY order_index, created_at, id) - 1, id, input, input_mode, expected_output,
        expected_mode
      FROM eval_test_cases WHERE suite_id = $2::uuid`,
    values: [run.id, run.suite_id],
  });
  await tx.query({
    text: `INSERT INTO eval_results (run_id, run_case_id, run_order, model_id, prompt_index, repetition)
      SELECT c.run_id, c.id, row_number() OVER (ORDER BY c.case_index, r.n, p.n, m.n) - 1, m.model, p.n, r.n
      FROM eval_run_cases c, unnest($2::text[]) WITH ORDINALITY AS m(model, n),
        generate_series(0, $3::int - 1) AS p(n), generate_series(1, $4::int) AS r(n)
      WHERE c.run_id = $1::uuid`,
    values: [run.id, run.models, run.prompts.length, run.runs_per_test],
  });
}

export const renameRun = (db: Db, id: string, name: string) =>
  db.update(evalRuns).set({ name }).where(eq(evalRuns.id, id));

export const deleteRun = (db: Db, id: string) => db.delete(evalRuns).where(eq(evalRuns.id, id));
export const deleteRuns = (db: Db, suite_id: string) =>
  db.delete(evalRuns).where(eq(evalRuns.suite_id, suite_id));

/**
 * Ends a run, and with it what has no score yet.
 *
 * @returns false when it has ended already
 */
export async function cancelRun(db: Db, id: string): Promise<boolean> {
  const open: EvalRunStatus[] = ['pending', 'running'];
  const ended = await db
    .update(evalRuns)
    .set({ status: 'cancelled', finished_at: sql`now()` })
    .where(and(eq(evalRuns.id, id), inArray(evalRuns.status, open)))
    .returning({ id: evalRuns.id });
  if (ended.length === 0) return false;
  await db
    .update(evalResults)
    .set({ status: 'cancelled' })
    .where(and(eq(evalResults.run_id, id), inArray(status, ['pending', 'answered'])));
  return true;
}

const cut = <Text extends string | null>(
  column: SQL | typeof actual_output,
  characters: number | undefined,
) => (characters === undefined ? sql<Text>`${column}` : sql<Text>`left(${column}, ${characters})`);

const LISTED = getTableColumns(evalResults);

/**
 * Results of a run in their order, or one of them.
 *
 * @param characters of each text at the most; all of them when it is not given
 */
export async function listResults(
  db: Db,
  { run_id, id, characters }: { run_id: string; id?: string; characters?: number },
) {
  const { input, expected_output } = evalRunCases;
  const longest = sql`greatest(length(${input}), length(${expected_output}), length(coalesce(${actual_output}, '')))`;
  return db
    .select({
      result: {
        ...LISTED,
        actual_output: cut<string | null>(actual_output, characters),
      },
      test_case_id: evalRunCases.test_case_id,
      case_index: evalRunCases.case_index,
      input: cut<string>(sql`${input}`, characters),
      expected_output: cut<string>(sql`${expected_output}`, characters),
      is_cut: characters === undefined ? sql<boolean>`false` : sql<boolean>`${longest} > ${characters}`,
    })
    .from(evalResults)
    .innerJoin(evalRunCases, eq(evalRunCases.id, evalResults.run_case_id))
    .where(and(eq(evalResults.run_id, run_id), id ? eq(evalResults.id, id) : undefined))
    .orderBy(asc(evalResults.run_order));
}

export type ShownResult = Awaited<ReturnType<typeof listResults>>[number];
