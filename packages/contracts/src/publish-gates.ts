import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { EVAL_LIMITS } from './eval-runs.ts';
import { storedName } from './text.ts';

export const GATE_LIMITS = {
  /** Their runs are started together. */
  suites: EVAL_LIMITS.open_runs,
  /** Runs on drafts of one workflow that are kept of a suite; older ones are deleted when one is started. */
  kept_runs: 20,
} as const;

const leastPassPercent = z
  .int('must be a whole number')
  .min(1)
  .max(100)
  .describe('Share of the test cases that have to pass.');

/**
 * Where a suite stands with a draft. `passed` and `failed`: its newest run on exactly this draft reached the least share, or
 * did not. `running`: that run has not ended. `outdated`: test cases, scoring or judge were changed since that run.
 * `not_run`: there is no run on this draft. `empty`: the suite has no test cases. `deleted`: the suite is gone, so that it
 * can pass no more until the owner takes it out of the gate.
 */
export const gateSuiteState = z.enum([
  'passed',
  'failed',
  'running',
  'outdated',
  'not_run',
  'empty',
  'deleted',
]);
export type GateSuiteState = z.infer<typeof gateSuiteState>;

/** Suites that a run on the draft can still bring to pass. */
export const RUNNABLE_STATES: ReadonlySet<GateSuiteState> = new Set(['not_run', 'outdated', 'failed']);

export const gateSuite = z
  .object({
    suite_id: uuid,
    suite_name: z.string(),
    least_pass_percent: z.int(),
    judge_credential_id: uuid.nullable(),
    judge_model: z.string().nullable(),
    state: gateSuiteState,
    run_id: uuid.nullable().describe('That run; null where there is none, and for collaborators.'),
    total_count: z.int().describe('Test cases of that run; 0 where there is none.'),
    done_count: z.int(),
    pass_count: z.int(),
    pass_percent: z.number().nullable().describe('Of the run when it has ended.'),
    error: z.string().nullable().describe('Why the run has no score at all.'),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'GateSuite' });
export type GateSuite = z.infer<typeof gateSuite>;

/** Everything that has to pass before a draft of the workflow is published, and how far the draft is. */
export const publishGate = z
  .object({
    suites: z.array(gateSuite).describe('Empty: nothing has to pass.'),
    passes: z.boolean().describe('The draft may be published as it is.'),
    may_override: z.boolean().describe('The caller may publish it all the same, with a reason.'),
  })
  .meta({ id: 'PublishGate' });
export type PublishGate = z.infer<typeof publishGate>;

const tag = 'Workflow versions';
const path = '/api/workflows/{id}/publish-gate';

export const readPublishGate = endpoint({
  id: 'readPublishGate',
  method: 'GET',
  path,
  tag,
  summary: 'The evals that have to pass before the draft is published, with what they reached on it',
  auth: 'session',
  params: idParams,
  response: publishGate,
  errors: ['not_found'],
});

const suiteInput = z.object({
  suite_id: uuid,
  least_pass_percent: leastPassPercent.default(100),
  /** Needed where the suite is scored by a judge. */
  judge_credential_id: uuid.nullish(),
  judge_model: storedName(200).nullish(),
});

export const setPublishGate = endpoint({
  id: 'setPublishGate',
  method: 'PUT',
  path,
  tag,
  summary:
    'Choose the own eval suites that have to pass before a draft is published; an empty list opens the gate',
  auth: 'session',
  params: idParams,
  body: z.object({
    suites: z
      .array(suiteInput)
      .max(GATE_LIMITS.suites)
      .refine(
        (list) => new Set(list.map(({ suite_id }) => suite_id)).size === list.length,
        'must not name a suite twice',
      ),
  }),
  response: publishGate,
  errors: ['forbidden', 'not_found'],
});

export const runPublishGate = endpoint({
  id: 'runPublishGate',
  method: 'POST',
  path: `${path}/runs`,
  tag,
  summary:
    'Run the suites of the gate that have not passed on the draft, in the background: each test case is one run of the draft, with the rights of the caller',
  auth: 'session',
  params: idParams,
  response: publishGate,
  errors: ['bad_request', 'not_found', 'conflict'],
});

export const publishGateEndpoints = [readPublishGate, setPublishGate, runPublishGate];
