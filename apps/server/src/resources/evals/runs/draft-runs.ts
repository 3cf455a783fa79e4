import { and, desc, eq, inArray, isNotNull, ne, type SQL, sql } from 'drizzle-orm';
import { newOrderedId } from '../../../core/ids.ts';
import type { Db } from '../../../database/database.ts';
import { evalRuns } from '../../../database/schema/index.ts';
import type { Services } from '../../../services.ts';
import { listCases, lockSuite, type SuiteRow } from '../queries.ts';
import type { Writer } from '../suites.ts';
import { type CountedRun, insertRun, runRoom, selectRuns } from './queries.ts';
import { requireRoom, requireScorable, requireSize } from './service.ts';

const CASE = 'input, input_mode, expected_output, expected_mode';
const CASES_OF_NOW = `SELECT ${CASE} FROM eval_test_cases WHERE suite_id = eval_runs.suite_id`;
const CASES_OF_RUN = `SELECT ${CASE} FROM eval_run_cases WHERE run_id = eval_runs.id`;

/** Whether a run had the test cases that its suite has now. */
const HAS_CASES_OF_NOW = sql.raw(
  `NOT EXISTS ((${CASES_OF_NOW} EXCEPT ALL ${CASES_OF_RUN}) UNION ALL (${CASES_OF_RUN} EXCEPT ALL ${CASES_OF_NOW}))`,
) as SQL<boolean>;

export interface DraftRun extends CountedRun {
  readonly has_cases_of_now: boolean;
}

/** The newest run of each suite on a graph of a workflow, without those that were cancelled. */
export async function newestDraftRuns(
  db: Db,
  { workflow_id, content_hash }: { workflow_id: string; content_hash: string },
): Promise<Map<string, DraftRun>> {
  const newest = await db
    .selectDistinctOn([evalRuns.suite_id], { id: evalRuns.id, has_cases_of_now: HAS_CASES_OF_NOW })
    .from(evalRuns)
    .where(
      and(
        eq(evalRuns.workflow_id, workflow_id),
        eq(evalRuns.content_hash, content_hash),
        ne(evalRuns.status, 'cancelled'),
      ),
    )
    .orderBy(evalRuns.suite_id, desc(evalRuns.id));
  const runs = await selectRuns(
    db,
    inArray(
      evalRuns.id,
      newest.map(({ id }) => id),
    ),
  );
  return new Map(
    runs.map((counted) => {
      const { id, suite_id } = counted.run;
      const has_cases_of_now = newest.find((row) => row.id === id)?.has_cases_of_now === true;
      return [suite_id, { ...counted, has_cases_of_now }];
    }),
  );
}

/** Deletes all but the newest runs of a suite on drafts of a workflow, apart from those that are under way. */
async function dropOlderRuns(
  db: Db,
  { workflow_id, suite_id, keep }: { workflow_id: string; suite_id: string; keep: number },
): Promise<void> {
  const older = db
    .select({ id: evalRuns.id })
    .from(evalRuns)
    .where(
      and(
        eq(evalRuns.workflow_id, workflow_id),
        eq(evalRuns.suite_id, suite_id),
        isNotNull(evalRuns.finished_at),
      ),
    )
    .orderBy(desc(evalRuns.id))
    .offset(keep);
  await db.delete(evalRuns).where(inArray(evalRuns.id, older));
}

/** @throws AppError when the suite has no test cases, or one that its scoring cannot compare */
export async function requireRunnableSuite(
  ctx: Writer & Pick<Services, 'parsers'>,
  suite: SuiteRow,
): Promise<void> {
  const cases = await listCases(ctx.db, suite.id);
  requireSize(cases.length, { models: [suite.name], runs_per_test: 1 });
  await requireScorable(ctx, cases, suite.scoring_method);
}

export interface DraftRunStart {
  readonly workflow_id: string;
  readonly workflow_name: string;
  /** The draft, or the version where there is none. */
  readonly graph_id: string;
  readonly content_hash: string;
  readonly judge: Pick<CountedRun['run'], 'judge_credential_id' | 'judge_model'>;
  /** Runs of the suite on drafts of the workflow that are kept, with this one. */
  readonly keep: number;
}

const NO_JUDGE = { judge_credential_id: null, judge_model: null };

/**
 * Stores a run of each test case through a draft. It belongs to the owner of the suite; runs have the rights of the actor. A
 * suite that was deleted meanwhile has none.
 */
export async function startDraftRun(
  { db, actor, now }: Writer,
  { id: suite_id, owner_id }: SuiteRow,
  { workflow_name: name, judge, keep, ...place }: DraftRunStart,
): Promise<void> {
  const suite = await lockSuite(db, owner_id, suite_id);
  if (!suite) return;
  const { system_prompt, scoring_method } = suite;
  await dropOlderRuns(db, { workflow_id: place.workflow_id, suite_id, keep: keep - 1 });
  requireRoom(await runRoom(db, { owner_id, suite_id }), owner_id === actor.user_id);
  await insertRun(db, {
    ...place,
    ...(scoring_method === 'llm_judge' ? judge : NO_JUDGE),
    id: newOrderedId(now()),
    suite_id,
    owner_id,
    name,
    credential_id: null,
    credential_name: '',
    models: [name],
    prompts: [{ name, system_prompt }],
    scoring_method,
    runs_per_test: 1,
    started_by_id: actor.user_id,
    created_at: new Date(now()),
  });
}
