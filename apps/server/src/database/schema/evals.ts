import type {
  EvalPrompt,
  EvalResultStatus,
  EvalRunStatus,
  EvalScoring,
  EvalTextMode,
} from '@millrace/contracts';
import type { ReasoningEffort } from '@millrace/models';
import { sql } from 'drizzle-orm';
import {
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { createdAt, instant, jsonText, partOf, primaryId, updatedAt } from '../columns.ts';
import { userId } from './accounts.ts';
import { credentials } from './sharing.ts';

const textMode = (name: 'input_mode' | 'expected_mode') =>
  text(name).$type<EvalTextMode>().notNull().default('text');

/** Inputs and what is expected of a model, for one system prompt. */
export const evalSuites = pgTable(
  'eval_suites',
  {
    id: primaryId(),
    owner_id: userId('owner_id'),
    name: text('name').notNull(),
    description: text('description'),
    system_prompt: text('system_prompt').notNull(),
    scoring_method: text('scoring_method').$type<EvalScoring>().notNull(),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [index('eval_suites_owner').on(t.owner_id, t.name)],
);

const suiteId = () => partOf('suite_id', () => evalSuites.id);

export const evalTestCases = pgTable(
  'eval_test_cases',
  {
    id: primaryId(),
    suite_id: suiteId(),
    input: text('input').notNull(),
    expected_output: text('expected_output').notNull(),
    input_mode: textMode('input_mode'),
    expected_mode: textMode('expected_mode'),
    order_index: integer('order_index').notNull(),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [index('eval_test_cases_order').on(t.suite_id, t.order_index)],
);

const credentialId = (name: 'credential_id' | 'judge_credential_id') =>
  uuid(name).references(() => credentials.id, { onDelete: 'set null' });

/** One run of a suite, with everything that it asks as it was at its start; any process carries it out. */
export const evalRuns = pgTable(
  'eval_runs',
  {
    /** Sorts by time. */
    id: uuid('id').primaryKey(),
    suite_id: suiteId(),
    owner_id: userId('owner_id'),
    name: text('name').notNull(),
    status: text('status').$type<EvalRunStatus>().notNull().default('pending'),
    credential_id: credentialId('credential_id'),
    credential_name: text('credential_name').notNull(),
    models: jsonText('models').$type<string[]>().notNull(),
    prompts: jsonText('prompts').$type<EvalPrompt[]>().notNull(),
    scoring_method: text('scoring_method').$type<EvalScoring>().notNull(),
    temperature: doublePrecision('temperature'),
    reasoning_effort: text('reasoning_effort').$type<ReasoningEffort>(),
    runs_per_test: smallint('runs_per_test').notNull(),
    max_tokens: integer('max_tokens'),
    judge_credential_id: credentialId('judge_credential_id'),
    judge_model: text('judge_model'),
    error: text('error'),
    /** When a process looks at it next; while one does, when another one takes over. */
    next_look_at: instant('next_look_at').notNull().defaultNow(),
    /** Of the process that carries it out, a new one for each time. */
    claim_id: uuid('claim_id'),
    created_at: createdAt(),
    started_at: instant('started_at'),
    finished_at: instant('finished_at'),
  },
  (t) => [
    index('eval_runs_suite').on(t.suite_id, t.id),
    index('eval_runs_owner').on(t.owner_id),
    index('eval_runs_open').on(t.next_look_at).where(sql`${t.finished_at} is null`),
    index('eval_runs_credential').on(t.credential_id).where(sql`${t.credential_id} is not null`),
    index('eval_runs_judge').on(t.judge_credential_id).where(sql`${t.judge_credential_id} is not null`),
  ],
);

const runId = () => partOf('run_id', () => evalRuns.id);

/** The test cases of a run as they were when it was started. */
export const evalRunCases = pgTable(
  'eval_run_cases',
  {
    id: primaryId(),
    run_id: runId(),
    case_index: smallint('case_index').notNull(),
    test_case_id: uuid('test_case_id').references(() => evalTestCases.id, { onDelete: 'set null' }),
    input: text('input').notNull(),
    expected_output: text('expected_output').notNull(),
    expected_mode: textMode('expected_mode'),
  },
  (t) => [
    uniqueIndex('eval_run_cases_place').on(t.run_id, t.case_index),
    index('eval_run_cases_test_case').on(t.test_case_id).where(sql`${t.test_case_id} is not null`),
  ],
);

/** One answer of a run: all of them are there from its start, and each is paid for once. */
export const evalResults = pgTable(
  'eval_results',
  {
    id: primaryId(),
    run_id: runId(),
    run_case_id: partOf('run_case_id', () => evalRunCases.id),
    run_order: smallint('run_order').notNull(),
    model_id: text('model_id').notNull(),
    /** Place in the prompts of the run. */
    prompt_index: smallint('prompt_index').notNull(),
    repetition: smallint('repetition').notNull(),
    status: text('status').$type<EvalResultStatus>().notNull().default('pending'),
    actual_output: text('actual_output'),
    /** `pass`, `fail`, or 0 to 100. */
    score: text('score'),
    is_pass: boolean('is_pass'),
    explanation: text('explanation'),
    error: text('error'),
    latency_ms: integer('latency_ms'),
    tokens_used: integer('tokens_used'),
    cost_usd: doublePrecision('cost_usd'),
    judge_cost_usd: doublePrecision('judge_cost_usd'),
  },
  (t) => [
    uniqueIndex('eval_results_place').on(t.run_id, t.run_order),
    index('eval_results_case').on(t.run_case_id),
  ],
);
