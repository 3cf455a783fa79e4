import {
  EVAL_LIMITS,
  type EvalResult,
  type EvalRun,
  type EvalRunSummary,
  type Received,
  type startEvalRun,
} from '@millrace/contracts';
import { NodeFailure } from '@millrace/engine';
import { AppError, conflict, invalidField, notFound } from '../../../core/app-error.ts';
import { newOrderedId } from '../../../core/ids.ts';
import { recordAudit } from '../../../database/audit.ts';
import type { Services } from '../../../services.ts';
import { lockPerson } from '../../lock-person.ts';
import { requireModelCredential } from '../../open-model.ts';
import { type CaseRow, listCases, type SuiteRow } from '../queries.ts';
import { type Reader, requireLockedSuite, requireSuite, type Writer } from '../suites.ts';
import * as queries from './queries.ts';
import { resultRecord, runSummary, summarizeColumns } from './record.ts';

type RunStarter = Writer & Pick<Services, 'parsers'>;
type Wanted = Received<typeof startEvalRun>['body'];

/** How the prompt of the suite is named where a run has no others. */
const SUITE_PROMPT = 'Suite prompt';

async function requireRun({ db, actor }: Reader, id: string): Promise<queries.CountedRun> {
  const row = await queries.findRun(db, actor.user_id, id);
  if (!row) throw notFound('Eval run');
  return row;
}

/** The judge as it is stored with a run. */
async function resolveJudge(ctx: Reader, wanted: Wanted) {
  const { judge_model, credential_id } = wanted;
  if (!judge_model)
    throw invalidField(['body', 'judge_model'], 'must name the model that judges the answers');
  const judge_credential_id = wanted.judge_credential_id ?? credential_id;
  await requireModelCredential(ctx, judge_credential_id);
  return { judge_model, judge_credential_id };
}

const FIELD = ['body', 'scoring_method'];

/** Before the transaction, which would hold its locks while large schemas are compiled. */
export async function requireScorable(
  { parsers, actor }: RunStarter,
  cases: readonly CaseRow[],
  method: queries.RunRow['scoring_method'],
): Promise<void> {
  const empty = cases.findIndex(({ input }) => input.trim() === '');
  if (empty >= 0)
    throw new AppError(
      'bad_request',
      `Test case ${empty + 1} has no input; enter one, or delete the test case`,
    );
  const expected = cases.map(({ expected_output, expected_mode }) => ({
    text: expected_output,
    mode: expected_mode,
  }));
  const limits = { what: 'The expected outputs', action: 'check', owner: actor.user_id } as const;
  const found = await parsers.run('eval_problem', [method, expected], limits).catch((error: unknown) => {
    throw error instanceof NodeFailure ? invalidField(FIELD, error.failure.message) : error;
  });
  if (found)
    throw invalidField(FIELD, `does not fit test case ${found.at + 1}: its expected output ${found.problem}`);
}

type Asked = Pick<Wanted, 'models' | 'prompts' | 'runs_per_test'>;

const countAnswers = (cases: number, { models, prompts, runs_per_test }: Asked): number =>
  cases * models.length * (prompts?.length ?? 1) * runs_per_test;

export function requireSize(cases: number, wanted: Asked): void {
  if (cases === 0) throw new AppError('bad_request', 'The suite has no test cases; add one first');
  const answers = countAnswers(cases, wanted);
  if (answers <= EVAL_LIMITS.answers) return;
  throw new AppError(
    'bad_request',
    `The run would need ${answers} answers; at most ${EVAL_LIMITS.answers} are allowed. Choose fewer models, prompts or repetitions`,
  );
}

/** @param is_own whether the person who asks is the owner of the runs, who alone can cancel and delete them */
export function requireRoom({ open, kept }: { open: number; kept: number }, is_own = true): void {
  if (open >= EVAL_LIMITS.open_runs)
    throw conflict(
      is_own
        ? `You have ${open} eval runs that have not ended, which is the limit; wait for one to end, or cancel one`
        : `The owner of the suite has ${open} eval runs that have not ended, which is the limit; wait for one to end`,
    );
  if (kept >= EVAL_LIMITS.runs)
    throw conflict(
      `The suite has ${kept} runs, which is the limit; ${is_own ? 'delete older ones' : 'its owner has to delete older ones'} first`,
    );
}

/** Accepts a run: durable when it resolves. Any process carries it out. */
export async function startRun(ctx: RunStarter, suite_id: string, wanted: Wanted): Promise<EvalRunSummary> {
  const { scoring_method: usual } = await requireSuite(ctx, suite_id);
  const credential = await requireModelCredential(ctx, wanted.credential_id);
  await requireScorable(ctx, await listCases(ctx.db, suite_id), wanted.scoring_method ?? usual);
  const id = newOrderedId(ctx.now());
  await ctx.db.transaction(async (tx) => {
    await lockPerson(tx, ctx.actor.user_id);
    const suite = await requireLockedSuite(tx, ctx, suite_id);
    const cases = await listCases(tx, suite_id);
    const scoring_method = wanted.scoring_method ?? suite.scoring_method;
    requireSize(cases.length, wanted);
    requireRoom(await queries.runRoom(tx, { owner_id: ctx.actor.user_id, suite_id }));
    const judge =
      scoring_method === 'llm_judge'
        ? await resolveJudge({ ...ctx, db: tx }, wanted)
        : { judge_model: null, judge_credential_id: null };
    await queries.insertRun(tx, {
      ...storedRun(suite, wanted),
      ...judge,
      id,
      scoring_method,
      owner_id: ctx.actor.user_id,
      credential_name: credential.name,
      created_at: new Date(ctx.now()),
    });
  });
  return runSummary(await requireRun(ctx, id));
}

const storedRun = (suite: SuiteRow, wanted: Wanted) => ({
  suite_id: suite.id,
  name: wanted.name ?? wanted.models.join(', ').slice(0, 255),
  credential_id: wanted.credential_id,
  models: wanted.models,
  prompts: wanted.prompts ?? [{ name: SUITE_PROMPT, system_prompt: suite.system_prompt }],
  temperature: wanted.reasoning_effort ? null : wanted.temperature,
  reasoning_effort: wanted.reasoning_effort ?? null,
  runs_per_test: wanted.runs_per_test,
  max_tokens: wanted.max_tokens ?? null,
});

export async function listRuns(ctx: Reader, suite_id: string): Promise<EvalRunSummary[]> {
  await requireSuite(ctx, suite_id);
  return (await queries.listRuns(ctx.db, suite_id)).map(runSummary);
}

export async function readRun(ctx: Reader, id: string): Promise<EvalRun> {
  const counted = await requireRun(ctx, id);
  const { models, prompts } = counted.run;
  const rows = await queries.listResults(ctx.db, { run_id: id, characters: EVAL_LIMITS.listed_characters });
  const results = rows.map((row) => resultRecord(row, prompts));
  return { ...runSummary(counted), results, columns: summarizeColumns({ models, prompts }, results) };
}

export async function readResult(
  ctx: Reader,
  { id, result_id }: { id: string; result_id: string },
): Promise<EvalResult> {
  const { run } = await requireRun(ctx, id);
  const [row] = await queries.listResults(ctx.db, { run_id: id, id: result_id });
  if (!row) throw notFound('Result');
  return resultRecord(row, run.prompts);
}

export async function renameRun(ctx: Reader, id: string, name: string): Promise<EvalRunSummary> {
  await requireRun(ctx, id);
  await queries.renameRun(ctx.db, id, name);
  return runSummary(await requireRun(ctx, id));
}

/** Ends a run; saying it twice is the same as once. */
export async function cancelRun(ctx: Reader, id: string): Promise<EvalRunSummary> {
  await requireRun(ctx, id);
  const cancelled = await ctx.db.transaction((tx) => queries.cancelRun(tx, id));
  const row = await requireRun(ctx, id);
  if (!cancelled && row.run.status !== 'cancelled') throw conflict(`The run is ${row.run.status} already`);
  return runSummary(row);
}

export async function deleteRun(ctx: Writer, id: string): Promise<undefined> {
  const { run } = await requireRun(ctx, id);
  await ctx.db.transaction(async (tx) => {
    await queries.deleteRun(tx, id);
    await recordAudit(tx, ctx, {
      action: 'eval_run.deleted',
      object_kind: 'eval_run',
      object_id: id,
      object_name: run.name,
    });
  });
}

export async function deleteRuns(ctx: Writer, suite_id: string): Promise<undefined> {
  await ctx.db.transaction(async (tx) => {
    const { name } = await requireLockedSuite(tx, ctx, suite_id);
    await queries.deleteRuns(tx, suite_id);
    await recordAudit(tx, ctx, {
      action: 'eval_suite.runs_deleted',
      object_kind: 'eval_suite',
      object_id: suite_id,
      object_name: name,
    });
  });
}
