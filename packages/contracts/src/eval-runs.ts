import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { storedName, storedText } from './text.ts';

/** Bounds of one person's evals; more is refused. */
export const EVAL_LIMITS = {
  suites: 200,
  /** Test cases of a suite. */
  cases: 200,
  /** Characters of an input, and of an expected output. */
  case_characters: 50_000,
  prompt_characters: 50_000,
  /** Models of one run. */
  models: 8,
  /** Prompts of one run. */
  prompts: 5,
  runs_per_test: 20,
  /** Answers of one run: test cases, models, prompts and repetitions multiplied. */
  answers: 2_000,
  /** Runs that have not ended. */
  open_runs: 5,
  /** Runs that are kept of a suite. */
  runs: 100,
  /** Test cases that are generated at once. */
  generated_cases: 20,
  /** Characters of each text in the list of results; the single result has all of it. */
  listed_characters: 1_000,
} as const;

/**
 * How an answer is compared with the expected output. `exact_match`: they are the same, but for white space around them.
 * `contains`: the answer has it somewhere, in any case of letters. `schema`: the expected output is a JSON Schema that the
 * answer follows. `llm_judge`: a model gives 0 to 100.
 */
export const evalScoring = z.enum(['exact_match', 'contains', 'schema', 'llm_judge']);
export type EvalScoring = z.infer<typeof evalScoring>;

export const evalRunStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled']);
export type EvalRunStatus = z.infer<typeof evalRunStatus>;

/** `answered`: the model has answered, the judge has not. */
export const evalResultStatus = z.enum(['pending', 'answered', 'completed', 'failed', 'cancelled']);
export type EvalResultStatus = z.infer<typeof evalResultStatus>;

const prompt = z.object({ name: z.string(), system_prompt: z.string() });
export type EvalPrompt = z.infer<typeof prompt>;

const counts = {
  total_count: z.int(),
  done_count: z.int().describe('Answers that are scored or have failed.'),
  pass_count: z.int().describe('Scores of `pass`, or of 50 and more.'),
  error_count: z.int().describe('Answers that no model or judge gave.'),
  cost_usd: z.number().nullable().describe('Of the answers; null when a price of one is not known.'),
};

const runShape = z.object({
  id: uuid,
  suite_id: uuid,
  name: z.string(),
  status: evalRunStatus,
  credential_id: uuid.nullable().describe('Null when it was deleted since.'),
  credential_name: z.string(),
  models: z.array(z.string()),
  prompts: z.array(prompt),
  workflow_id: uuid
    .nullable()
    .describe(
      'Workflow whose draft the test cases were run through, in place of models; null for other runs.',
    ),
  scoring_method: evalScoring,
  temperature: z.number().nullable(),
  reasoning_effort: z.enum(['low', 'medium', 'high']).nullable(),
  runs_per_test: z.int(),
  max_tokens: z.int().nullable(),
  judge_credential_id: uuid.nullable(),
  judge_model: z.string().nullable(),
  ...counts,
  judge_cost_usd: z.number().nullable(),
  error: z.string().nullable().describe('Why a failed run has no score at all.'),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
});

export const evalRunSummary = runShape.meta({ id: 'EvalRunSummary' });
export type EvalRunSummary = z.infer<typeof evalRunSummary>;

export const evalResult = z
  .object({
    id: uuid,
    test_case_id: uuid.nullable().describe('Null when the test case was deleted since.'),
    model_id: z.string(),
    prompt_name: z.string(),
    execution_id: uuid.nullable().describe('Run of the workflow that gave the answer.'),
    input_snapshot: z.string(),
    expected_snapshot: z.string(),
    actual_output: z.string().nullable(),
    score: z.string().max(20).nullable().describe('`pass`, `fail`, or 0 to 100 of a judge.'),
    is_pass: z.boolean().nullable(),
    explanation: z.string().nullable().describe('Why: of the judge, or what a comparison found.'),
    status: evalResultStatus,
    error: z.string().nullable(),
    latency_ms: z.int().nullable(),
    tokens_used: z.int().nullable(),
    cost_usd: z.number().nullable(),
    run_order: z.int().describe('Place in the run; answers are asked for in this order.'),
    case_index: z.int().describe('Place of the test case.'),
    repetition: z.int().describe('1 for the first answer to a test case.'),
    is_cut: z.boolean().describe('A text is longer than the list shows.'),
  })
  .meta({ id: 'EvalResult' });
export type EvalResult = z.infer<typeof evalResult>;

/** One column of the comparison: a model with a prompt. */
export const evalColumn = z
  .object({
    model_id: z.string(),
    prompt_name: z.string(),
    ...counts,
    average_latency_ms: z.int().nullable(),
    tokens_used: z.int().nullable(),
  })
  .meta({ id: 'EvalColumn' });
export type EvalColumn = z.infer<typeof evalColumn>;

export const evalRun = runShape
  .extend({ results: z.array(evalResult), columns: z.array(evalColumn) })
  .meta({ id: 'EvalRun' });
export type EvalRun = z.infer<typeof evalRun>;

const tag = 'Evals';
export const EVAL_SUITES_PATH = '/api/evals/suites';
const suite = `${EVAL_SUITES_PATH}/{id}`;
const runs = '/api/evals/runs';
const name = storedName(255);
const model = storedName(200);

const distinct = (list: readonly string[]) => new Set(list).size === list.length;

export const startEvalRun = endpoint({
  id: 'startEvalRun',
  method: 'POST',
  path: `${suite}/run`,
  tag,
  summary: 'Run the test cases of a suite over models and prompts, in the background',
  auth: 'session',
  params: idParams,
  body: z.object({
    name: name.nullish(),
    credential_id: uuid,
    models: z
      .array(model)
      .min(1, 'must name at least one model')
      .max(EVAL_LIMITS.models)
      .refine(distinct, 'must not name a model twice'),
    /** Variants of the system prompt; without them that of the suite. */
    prompts: z
      .array(z.object({ name, system_prompt: storedText(EVAL_LIMITS.prompt_characters) }))
      .min(1, 'must have at least one prompt')
      .max(EVAL_LIMITS.prompts)
      .refine((list) => distinct(list.map((one) => one.name)), 'must not have two prompts of one name')
      .nullish(),
    /** That of the suite where it is not given. */
    scoring_method: evalScoring.nullish(),
    /** Null sends none, for models that take none. */
    temperature: z.number().min(0).max(2).nullable().default(0.7),
    /** Replaces the temperature. */
    reasoning_effort: z.enum(['low', 'medium', 'high']).nullish(),
    runs_per_test: z.int().min(1).max(EVAL_LIMITS.runs_per_test).default(1),
    max_tokens: z.int().min(1).max(200_000).nullish(),
    /** Without it, the judge is asked with the credential of the models. */
    judge_credential_id: uuid.nullish(),
    judge_model: model.nullish(),
  }),
  response: evalRunSummary,
  errors: ['bad_request', 'not_found', 'conflict'],
});

export const listEvalRuns = endpoint({
  id: 'listEvalRuns',
  method: 'GET',
  path: `${suite}/runs`,
  tag,
  summary: 'Runs of a suite, newest first, without results',
  auth: 'session',
  params: idParams,
  response: z.array(evalRunSummary),
  errors: ['not_found'],
});

export const deleteEvalRuns = endpoint({
  id: 'deleteEvalRuns',
  method: 'DELETE',
  path: `${suite}/runs`,
  tag,
  summary: 'Delete all runs of a suite; those under way end',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const readEvalRun = endpoint({
  id: 'readEvalRun',
  method: 'GET',
  path: `${runs}/{id}`,
  tag,
  summary: 'A run with its results, long texts cut',
  auth: 'session',
  params: idParams,
  response: evalRun,
  errors: ['not_found'],
});

export const readEvalResult = endpoint({
  id: 'readEvalResult',
  method: 'GET',
  path: `${runs}/{id}/results/{result_id}`,
  tag,
  summary: 'One result of a run, with whole texts',
  auth: 'session',
  params: idParams.extend({ result_id: uuid }),
  response: evalResult,
  errors: ['not_found'],
});

export const renameEvalRun = endpoint({
  id: 'renameEvalRun',
  method: 'PATCH',
  path: `${runs}/{id}`,
  tag,
  summary: 'Rename a run',
  auth: 'session',
  params: idParams,
  body: z.object({ name }),
  response: evalRunSummary,
  errors: ['not_found'],
});

export const cancelEvalRun = endpoint({
  id: 'cancelEvalRun',
  method: 'POST',
  path: `${runs}/{id}/cancel`,
  tag,
  summary: 'End a run; results that are there stay, and calls that are under way are ended',
  auth: 'session',
  params: idParams,
  response: evalRunSummary,
  errors: ['not_found', 'conflict'],
});

export const deleteEvalRun = endpoint({
  id: 'deleteEvalRun',
  method: 'DELETE',
  path: `${runs}/{id}`,
  tag,
  summary: 'Delete a run with its results; one that is under way ends',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const evalRunEndpoints = [
  startEvalRun,
  listEvalRuns,
  deleteEvalRuns,
  readEvalRun,
  readEvalResult,
  renameEvalRun,
  cancelEvalRun,
  deleteEvalRun,
];
