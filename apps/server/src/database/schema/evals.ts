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
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, instant, jsonText, primaryId, updatedAt } from '../columns.ts';
import { userId, users } from './accounts.ts';
import { credentials } from './sharing.ts';
import { workflowId, workflows } from './workflows.ts';

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

const suiteId = () => belongsTo('suite_id', () => evalSuites.id);

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
    /** Set for a run through a draft: the workflow, which may be deleted since. */
    workflow_id: uuid('workflow_id').references(() => workflows.id, { onDelete: 'set null' }),
    /** The draft, or the version where there was none. */
    graph_id: uuid('graph_id'),
    /** `contentHash` of its graph. */
    content_hash: text('content_hash'),
    /** Whose rights the runs of the draft have. */
    started_by_id: uuid('started_by_id').references(() => users.id, { onDelete: 'set null' }),
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
    index('eval_runs_workflow').on(t.workflow_id, t.suite_id).where(sql`${t.workflow_id} is not null`),
    index('eval_runs_starter').on(t.started_by_id).where(sql`${t.started_by_id} is not null`),
    index('eval_runs_judge').on(t.judge_credential_id).where(sql`${t.judge_credential_id} is not null`),
  ],
);

const runId = () => belongsTo('run_id', () => evalRuns.id);

/** The test cases of a run as they were when it was started. */
export const evalRunCases = pgTable(
  'eval_run_cases',
  {
    id: primaryId(),
    run_id: runId(),
    case_index: smallint('case_index').notNull(),
    test_case_id: uuid('test_case_id').references(() => evalTestCases.id, { onDelete: 'set null' }),
    input: text('input').notNull(),
    input_mode: textMode('input_mode'),
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
    run_case_id: belongsTo('run_case_id', () => evalRunCases.id),
    run_order: smallint('run_order').notNull(),
    model_id: text('model_id').notNull(),
    /** Place in the prompts of the run. */
    prompt_index: smallint('prompt_index').notNull(),
    repetition: smallint('repetition').notNull(),
    status: text('status').$type<EvalResultStatus>().notNull().default('pending'),
    /** Run of the workflow that gives the answer. */
    execution_id: uuid('execution_id'),
    actual_output: text('actual_output'),
    /** `pass`, `fail`, or 0 to 100. */
    score: text('score'),
    is_pass: boolean('is_pass'),
    explanation: text('explanation'),
    error: text('error'),
    latency_ms: bigint('latency_ms', { mode: 'number' }),
    tokens_used: integer('tokens_used'),
    cost_usd: doublePrecision('cost_usd'),
    judge_cost_usd: doublePrecision('judge_cost_usd'),
  },
  (t) => [
    uniqueIndex('eval_results_place').on(t.run_id, t.run_order),
    index('eval_results_case').on(t.run_case_id),
  ],
);

/** Suites that have to pass before a draft of a workflow is published. */
export const publishGateSuites = pgTable(
  'publish_gate_suites',
  {
    workflow_id: workflowId(),
    /** No reference: a gate whose suite was deleted stays shut until its owner changes it. */
    suite_id: uuid('suite_id').notNull(),
    /** As it was when it was chosen, for when it is gone. */
    suite_name: text('suite_name').notNull(),
    least_pass_percent: smallint('least_pass_percent').notNull(),
    judge_credential_id: credentialId('judge_credential_id'),
    judge_model: text('judge_model'),
    place: smallint('place').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workflow_id, t.suite_id] }),
    index('publish_gate_suites_judge')
      .on(t.judge_credential_id)
      .where(sql`${t.judge_credential_id} is not null`),
  ],
);
