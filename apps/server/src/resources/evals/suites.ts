import {
  type createEvalSuite,
  type createEvalTestCase,
  EVAL_LIMITS,
  type EvalSuite,
  type EvalSuiteSummary,
  type EvalTestCase,
  type EvalTextMode,
  type Received,
  type updateEvalSuite,
  type updateEvalTestCase,
} from '@millrace/contracts';
import { readJsonAnswer } from '@millrace/models';
import { conflict, invalidField, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { lockPerson } from '../lock-person.ts';
import * as queries from './queries.ts';
import { newestRuns } from './runs/queries.ts';
import { runSummary } from './runs/record.ts';

export type Reader = Needs<'db' | 'actor'>;
export type Writer = Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>;

function caseRecord({ created_at, updated_at, ...row }: queries.CaseRow): EvalTestCase {
  return { ...row, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}

const suiteRecord = ({ owner_id: _owner_id, created_at, updated_at, ...row }: queries.SuiteRow) => ({
  ...row,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

/** A suite belongs to one person. */
export async function requireSuite({ db, actor }: Reader, id: string): Promise<queries.SuiteRow> {
  const row = await queries.findSuite(db, actor.user_id, id);
  if (!row) throw notFound('Eval suite');
  return row;
}

export async function requireLockedSuite(db: Db, { actor }: Reader, id: string): Promise<queries.SuiteRow> {
  const row = await queries.lockSuite(db, actor.user_id, id);
  if (!row) throw notFound('Eval suite');
  return row;
}

export async function listSuites({ db, actor }: Reader): Promise<EvalSuiteSummary[]> {
  const rows = await queries.listSuites(db, actor.user_id);
  const newest = await newestRuns(db, actor.user_id);
  return rows.map(({ suite, test_case_count }) => {
    const last = newest.find(({ run }) => run.suite_id === suite.id);
    return { ...suiteRecord(suite), test_case_count, last_run: last ? runSummary(last) : null };
  });
}

export async function readSuite(ctx: Reader, id: string): Promise<EvalSuite> {
  const row = await requireSuite(ctx, id);
  return { ...suiteRecord(row), test_cases: (await queries.listCases(ctx.db, id)).map(caseRecord) };
}

const audited = (db: Db, ctx: Writer, action: string, { id, name }: Pick<queries.SuiteRow, 'id' | 'name'>) =>
  recordAudit(db, ctx, { action, object_kind: 'eval_suite', object_id: id, object_name: name });

export async function createSuite(
  ctx: Writer,
  input: Received<typeof createEvalSuite>['body'],
): Promise<EvalSuite> {
  const id = newId();
  const now = new Date(ctx.now());
  await ctx.db.transaction(async (tx) => {
    await lockPerson(tx, ctx.actor.user_id);
    if ((await queries.countSuites(tx, ctx.actor.user_id)) >= EVAL_LIMITS.suites)
      throw conflict(`You have ${EVAL_LIMITS.suites} eval suites, which is the limit; delete one first`);
    await queries.insertSuite(tx, {
      ...input,
      id,
      owner_id: ctx.actor.user_id,
      description: input.description || null,
      created_at: now,
      updated_at: now,
    });
    await audited(tx, ctx, 'eval_suite.created', { id, name: input.name });
  });
  return readSuite(ctx, id);
}

export async function updateSuite(
  ctx: Writer,
  id: string,
  input: Received<typeof updateEvalSuite>['body'],
): Promise<EvalSuite> {
  await ctx.db.transaction(async (tx) => {
    const former = await requireLockedSuite(tx, ctx, id);
    const name = input.name ?? former.name;
    await queries.updateSuite(tx, id, {
      name,
      description: typeof input.description === 'string' ? input.description || null : former.description,
      system_prompt: input.system_prompt ?? former.system_prompt,
      scoring_method: input.scoring_method ?? former.scoring_method,
      updated_at: new Date(ctx.now()),
    });
    await audited(tx, ctx, 'eval_suite.updated', { id, name });
  });
  return readSuite(ctx, id);
}

export async function deleteSuite(ctx: Writer, id: string): Promise<undefined> {
  await ctx.db.transaction(async (tx) => {
    const row = await requireLockedSuite(tx, ctx, id);
    await queries.deleteSuite(tx, id);
    await audited(tx, ctx, 'eval_suite.deleted', row);
  });
}

interface CaseTexts {
  readonly input: string;
  readonly expected_output: string;
  readonly input_mode: EvalTextMode;
  readonly expected_mode: EvalTextMode;
}

function requireJson(field: 'input' | 'expected_output', text: string, mode: EvalTextMode): void {
  if (mode === 'text') return;
  const { problem } = readJsonAnswer(text, false);
  if (problem !== undefined)
    throw invalidField(['body', field], `is not JSON: ${problem}; correct it, or choose the mode text`);
}

function requireModes({ input, expected_output, input_mode, expected_mode }: CaseTexts): void {
  requireJson('input', input, input_mode);
  requireJson('expected_output', expected_output, expected_mode);
}

export async function createCase(
  ctx: Writer,
  suite_id: string,
  { order_index, ...texts }: Received<typeof createEvalTestCase>['body'],
): Promise<EvalTestCase> {
  requireModes(texts);
  const now = new Date(ctx.now());
  return ctx.db.transaction(async (tx) => {
    await requireLockedSuite(tx, ctx, suite_id);
    const { total, next } = await queries.caseRoom(tx, suite_id);
    if (total >= EVAL_LIMITS.cases)
      throw conflict(`The suite has ${EVAL_LIMITS.cases} test cases, which is the limit; delete one first`);
    const place = { suite_id, order_index: order_index ?? next };
    return caseRecord(await queries.insertCase(tx, { ...texts, ...place, created_at: now, updated_at: now }));
  });
}

export interface CasePlace {
  readonly suite_id: string;
  readonly case_id: string;
}

export async function updateCase(
  ctx: Writer,
  place: CasePlace,
  input: Received<typeof updateEvalTestCase>['body'],
): Promise<EvalTestCase> {
  return ctx.db.transaction(async (tx) => {
    await requireLockedSuite(tx, ctx, place.suite_id);
    const former = await queries.findCase(tx, place);
    if (!former) throw notFound('Test case');
    const texts = {
      input: input.input ?? former.input,
      expected_output: input.expected_output ?? former.expected_output,
      input_mode: input.input_mode ?? former.input_mode,
      expected_mode: input.expected_mode ?? former.expected_mode,
    };
    requireModes(texts);
    const row = await queries.updateCase(tx, place.case_id, {
      ...texts,
      order_index: input.order_index ?? former.order_index,
      updated_at: new Date(ctx.now()),
    });
    if (!row) throw notFound('Test case');
    return caseRecord(row);
  });
}

export async function deleteCase(ctx: Reader, place: CasePlace): Promise<undefined> {
  await requireSuite(ctx, place.suite_id);
  if (!(await queries.deleteCase(ctx.db, place))) throw notFound('Test case');
}
