import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { EVAL_LIMITS, EVAL_SUITES_PATH, evalRunEndpoints, evalRunSummary, evalScoring } from './eval-runs.ts';
import { storedName, storedText } from './text.ts';

/** `json`: the text has to be JSON; expected JSON is compared by its values. */
const textMode = z.enum(['text', 'json']);
export type EvalTextMode = z.infer<typeof textMode>;

export const evalTestCase = z
  .object({
    id: uuid,
    suite_id: uuid,
    input: z.string(),
    expected_output: z.string(),
    input_mode: textMode,
    expected_mode: textMode,
    order_index: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'EvalTestCase' });
export type EvalTestCase = z.infer<typeof evalTestCase>;

const suiteShape = z.object({
  id: uuid,
  name: z.string(),
  description: z.string().nullable(),
  system_prompt: z.string(),
  scoring_method: evalScoring,
  created_at: timestamp,
  updated_at: timestamp,
});

export const evalSuite = suiteShape
  .extend({ test_cases: z.array(evalTestCase).describe('In their order.') })
  .meta({ id: 'EvalSuite' });
export type EvalSuite = z.infer<typeof evalSuite>;

export const evalSuiteSummary = suiteShape
  .extend({ test_case_count: z.int(), last_run: evalRunSummary.nullable() })
  .meta({ id: 'EvalSuiteSummary' });
export type EvalSuiteSummary = z.infer<typeof evalSuiteSummary>;

const tag = 'Evals';
const suite = `${EVAL_SUITES_PATH}/{id}`;
const cases = `${suite}/test-cases`;
const name = storedName(255);
const description = storedText(2_000).nullish();
const systemPrompt = storedText(EVAL_LIMITS.prompt_characters);
const caseText = storedText(EVAL_LIMITS.case_characters);
const model = storedName(200);
const caseParams = idParams.extend({ case_id: uuid });

export const listEvalSuites = endpoint({
  id: 'listEvalSuites',
  method: 'GET',
  path: EVAL_SUITES_PATH,
  tag,
  summary: 'Own suites by name, with their last run',
  auth: 'session',
  response: z.array(evalSuiteSummary),
});

export const createEvalSuite = endpoint({
  id: 'createEvalSuite',
  method: 'POST',
  path: EVAL_SUITES_PATH,
  tag,
  summary: 'Create a suite of test cases for a prompt',
  auth: 'session',
  body: z.object({
    name,
    description,
    system_prompt: systemPrompt.default(''),
    scoring_method: evalScoring.default('exact_match'),
  }),
  response: evalSuite,
  errors: ['conflict'],
});

export const readEvalSuite = endpoint({
  id: 'readEvalSuite',
  method: 'GET',
  path: suite,
  tag,
  summary: 'A suite with its test cases',
  auth: 'session',
  params: idParams,
  response: evalSuite,
  errors: ['not_found'],
});

export const updateEvalSuite = endpoint({
  id: 'updateEvalSuite',
  method: 'PATCH',
  path: suite,
  tag,
  summary: 'Change name, description, system prompt or scoring of a suite',
  auth: 'session',
  params: idParams,
  body: z.object({
    name: name.nullish(),
    description,
    system_prompt: systemPrompt.nullish(),
    scoring_method: evalScoring.nullish(),
  }),
  response: evalSuite,
  errors: ['not_found'],
});

export const deleteEvalSuite = endpoint({
  id: 'deleteEvalSuite',
  method: 'DELETE',
  path: suite,
  tag,
  summary: 'Delete a suite with its test cases and runs; a run that is under way ends',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const createEvalTestCase = endpoint({
  id: 'createEvalTestCase',
  method: 'POST',
  path: cases,
  tag,
  summary: 'Add a test case, at the end unless a place is given',
  auth: 'session',
  params: idParams,
  body: z.object({
    input: caseText,
    expected_output: caseText.default(''),
    input_mode: textMode.default('text'),
    expected_mode: textMode.default('text'),
    order_index: z.int().min(0).max(1_000_000).nullish(),
  }),
  response: evalTestCase,
  errors: ['not_found', 'conflict'],
});

export const updateEvalTestCase = endpoint({
  id: 'updateEvalTestCase',
  method: 'PATCH',
  path: `${cases}/{case_id}`,
  tag,
  summary: 'Change a test case; results of earlier runs keep what it was',
  auth: 'session',
  params: caseParams,
  body: z.object({
    input: caseText.nullish(),
    expected_output: caseText.nullish(),
    input_mode: textMode.nullish(),
    expected_mode: textMode.nullish(),
    order_index: z.int().min(0).max(1_000_000).nullish(),
  }),
  response: evalTestCase,
  errors: ['not_found'],
});

export const deleteEvalTestCase = endpoint({
  id: 'deleteEvalTestCase',
  method: 'DELETE',
  path: `${cases}/{case_id}`,
  tag,
  summary: 'Delete a test case; results of earlier runs stay',
  auth: 'session',
  params: caseParams,
  errors: ['not_found'],
});

const asked = { credential_id: uuid, model };

export const optimizeEvalPrompt = endpoint({
  id: 'optimizeEvalPrompt',
  method: 'POST',
  path: `${suite}/optimize-prompt`,
  tag,
  summary: 'Ask a model for a better system prompt; nothing is stored',
  auth: 'session',
  params: idParams,
  body: z.object({ ...asked, system_prompt: systemPrompt }),
  response: z.object({ optimized_prompt: z.string() }),
  errors: ['bad_request', 'not_found', 'rate_limited', 'unavailable'],
});

const generatedCase = z.object({ input: z.string(), expected_output: z.string() });
export type GeneratedEvalCase = z.infer<typeof generatedCase>;

export const generateEvalTestData = endpoint({
  id: 'generateEvalTestData',
  method: 'POST',
  path: `${suite}/generate-test-data`,
  tag,
  summary: 'Ask a model for further test cases; nothing is stored',
  auth: 'session',
  params: idParams,
  body: z.object({ ...asked, count: z.int().min(1).max(EVAL_LIMITS.generated_cases).default(5) }),
  response: z.object({ test_cases: z.array(generatedCase) }),
  errors: ['bad_request', 'not_found', 'rate_limited', 'unavailable'],
});

export const evalEndpoints = [
  listEvalSuites,
  createEvalSuite,
  readEvalSuite,
  updateEvalSuite,
  deleteEvalSuite,
  createEvalTestCase,
  updateEvalTestCase,
  deleteEvalTestCase,
  optimizeEvalPrompt,
  generateEvalTestData,
  ...evalRunEndpoints,
];
