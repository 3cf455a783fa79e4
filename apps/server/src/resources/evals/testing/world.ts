import type { EvalRun, EvalRunSummary, EvalSuite } from '@millrace/contracts';
import {
  chatStream,
  type FakeProvider,
  type FakeReply,
  type SeenCall,
  startFakeProvider,
} from '@millrace/models/testing';
import { expect } from 'vitest';
import { workOnDue } from '../../../execution/claimed-work/claimed-work.ts';
import {
  createTestApp,
  type TestApp,
  type TestAppOptions,
  type TestUser,
} from '../../../testing/test-app.ts';
import { EVAL_RUNS } from '../runs/work.ts';

export const SUITES = '/api/evals/suites';
export const RUNS = '/api/evals/runs';

export interface EvalWorld {
  readonly app: TestApp;
  readonly provider: FakeProvider;
  readonly owner: TestUser;
  readonly credential_id: string;
  /** Sets what the model answers from here on. */
  answer(reply: (call: SeenCall) => FakeReply): void;
  close(): Promise<void>;
}

export const says = (text: string): FakeReply => ({ chunks: chatStream([text]) });

/** The last message of a call. */
export function questionIn({ body }: SeenCall): string {
  const messages = body?.['messages'] as { content: unknown }[] | undefined;
  const content = messages?.at(-1)?.content;
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** Answers each question with itself. */
export const echo = (call: SeenCall): FakeReply => says(questionIn(call));

export async function createEvalWorld(options: TestAppOptions = {}): Promise<EvalWorld> {
  let reply = echo;
  const provider = await startFakeProvider((call) => reply(call));
  const prices = '{"m1":{"input":1000,"output":2000}}';
  const app = await createTestApp({
    ...options,
    env: { HTTP_ALLOW_PRIVATE_URLS: 'true', MODEL_PRICES: prices, ...options.env },
  });
  const owner = await app.user('Owner');
  const config = { api_key: 'k-canary-0123456789', base_url: provider.url };
  const made = await owner.call('POST', '/api/credentials', { name: 'models', type: 'custom', config });
  return {
    app,
    provider,
    owner,
    credential_id: made.json<{ id: string }>().id,
    answer(next) {
      reply = next;
    },
    async close() {
      await app.close();
      provider.stop();
    },
  };
}

export type CaseInput = readonly [input: string, expected: string, more?: object];

export async function createSuite(
  { owner }: EvalWorld,
  cases: readonly CaseInput[] = [],
  suite: object = {},
): Promise<EvalSuite> {
  const made = await owner.call('POST', SUITES, { name: 'Capitals', system_prompt: 'Be brief.', ...suite });
  expect(made.statusCode, made.body).toBe(200);
  const { id } = made.json<EvalSuite>();
  for (const [input, expected_output, more] of cases) {
    const added = await owner.call('POST', `${SUITES}/${id}/test-cases`, { input, expected_output, ...more });
    expect(added.statusCode, added.body).toBe(200);
  }
  return (await owner.call('GET', `${SUITES}/${id}`)).json<EvalSuite>();
}

export const start = ({ owner, credential_id }: EvalWorld, suite: EvalSuite, body: object = {}) =>
  owner.call('POST', `${SUITES}/${suite.id}/run`, { credential_id, models: ['m1'], ...body });

export async function started(
  world: EvalWorld,
  suite: EvalSuite,
  body: object = {},
): Promise<EvalRunSummary> {
  const answer = await start(world, suite, body);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<EvalRunSummary>();
}

export const pass = ({ app }: EvalWorld, signal = new AbortController().signal) =>
  workOnDue(app.services, EVAL_RUNS, { stopping: signal });

export const readRun = async ({ owner }: EvalWorld, { id }: { id: string }): Promise<EvalRun> =>
  (await owner.call('GET', `${RUNS}/${id}`)).json<EvalRun>();

/** A run that was started and carried out. */
export async function ran(world: EvalWorld, suite: EvalSuite, body: object = {}): Promise<EvalRun> {
  const run = await started(world, suite, body);
  await pass(world);
  return readRun(world, run);
}
