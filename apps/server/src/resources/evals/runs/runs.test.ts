import {
  EVAL_LIMITS,
  type EvalResult,
  type EvalRun,
  type EvalRunSummary,
  type Trace,
  type TraceList,
} from '@millrace/contracts';
import { json, refuse } from '@millrace/models/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../executions/testing/workflows.ts';
import {
  createEvalWorld,
  createSuite,
  type EvalWorld,
  echo,
  pass,
  questionIn,
  RUNS,
  ran,
  readRun,
  SUITES,
  says,
  start,
  started,
} from '../testing/world.ts';

let world: EvalWorld;
beforeAll(async () => {
  world = await createEvalWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  world.answer(echo);
  world.provider.seen.length = 0;
});

const CASES = [
  ['Paris', 'Paris'],
  ['Rome', 'Berlin'],
] as const;

test('a run asks each model for each test case and compares them', async () => {
  const suite = await createSuite(world, CASES);
  const accepted = await started(world, suite, { models: ['m1', 'm2'], runs_per_test: 2 });
  expect(accepted).toMatchObject({
    status: 'pending',
    total_count: 8,
    done_count: 0,
    name: 'm1, m2',
    credential_name: 'models',
    prompts: [{ name: 'Suite prompt', system_prompt: 'Be brief.' }],
    temperature: 0.7,
    cost_usd: null,
  });
  await pass(world);
  const run = await readRun(world, accepted);
  expect(run).toMatchObject({
    status: 'completed',
    done_count: 8,
    pass_count: 4,
    error_count: 0,
    error: null,
  });
  expect(run.results.map((one) => [one.case_index, one.repetition, one.model_id])).toEqual(
    [0, 1].flatMap((at) => [1, 2].flatMap((n) => ['m1', 'm2'].map((model) => [at, n, model]))),
  );
  expect(run.results[0]).toMatchObject({
    input_snapshot: 'Paris',
    expected_snapshot: 'Paris',
    actual_output: 'Paris',
    score: 'pass',
    is_pass: true,
    tokens_used: 17,
    cost_usd: 0.022,
    latency_ms: expect.any(Number),
  });
  expect(run.results[4]).toMatchObject({ score: 'fail', is_pass: false, actual_output: 'Rome' });
  // The price of m2 is not known, so neither is that of the run.
  expect(run.cost_usd).toBeNull();
  expect(run.columns).toMatchObject([
    { model_id: 'm1', total_count: 4, pass_count: 2, cost_usd: 0.088, tokens_used: 68 },
    { model_id: 'm2', total_count: 4, pass_count: 2, cost_usd: null, tokens_used: 68 },
  ]);
  const [call] = world.provider.seen;
  expect(call?.body).toMatchObject({ temperature: 0.7, messages: [{ content: 'Be brief.' }, {}] });
});

test('answers that took longer than 25 days keep their time', async () => {
  const accepted = await started(world, await createSuite(world, CASES), { models: ['m1'] });
  await pass(world);
  await world.app.services.database.sql.query({
    text: 'UPDATE eval_results SET latency_ms = $2 WHERE run_id = $1',
    values: [accepted.id, 2 ** 31 + 5],
  });
  const run = await readRun(world, accepted);
  expect(run.results[0]).toMatchObject({ latency_ms: 2 ** 31 + 5 });
  expect(run.columns).toMatchObject([{ average_latency_ms: 2 ** 31 + 5 }]);
});

test('prompts are compared, with the effort of reasoning in place of the temperature', async () => {
  const suite = await createSuite(world, [['Paris', 'Paris']]);
  world.answer(({ body }) => says(JSON.stringify(body).includes('Shout') ? 'PARIS' : 'Paris'));
  const prompts = [
    { name: 'plain', system_prompt: '' },
    { name: 'loud', system_prompt: 'Shout.' },
  ];
  const run = await ran(world, suite, { prompts, reasoning_effort: 'low', max_tokens: 100 });
  expect(run.columns.map(({ prompt_name, pass_count }) => [prompt_name, pass_count])).toEqual([
    ['plain', 1],
    ['loud', 0],
  ]);
  expect(run.temperature).toBeNull();
  const bodies = world.provider.seen.map(({ body }) => body);
  for (const body of bodies) expect(body).toMatchObject({ reasoning_effort: 'low', max_tokens: 100 });
  expect(JSON.stringify(bodies)).not.toContain('temperature');
});

test('the scoring of the run comes before that of the suite', async () => {
  const schema = '{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}';
  const suite = await createSuite(world, [['{"city":"Paris"}', schema]]);
  expect(await ran(world, suite, { scoring_method: 'schema' })).toMatchObject({ pass_count: 1 });
  expect(await ran(world, suite, { scoring_method: 'contains' })).toMatchObject({ pass_count: 0 });
});

describe('a judge', () => {
  const isJudge = (text: string) => text.includes('You grade');
  test('scores each answer, with its reason and its own cost', async () => {
    world.answer((call) =>
      isJudge(JSON.stringify(call.body))
        ? says(`{"explanation":"Because","score":${questionIn(call).includes('Berlin') ? 20 : 90}}`)
        : echo(call),
    );
    const suite = await createSuite(world, CASES, { scoring_method: 'llm_judge' });
    const run = await ran(world, suite, { judge_model: 'm1' });
    expect(run).toMatchObject({ pass_count: 1, judge_credential_id: world.credential_id, judge_model: 'm1' });
    expect(run.judge_cost_usd).toBeCloseTo(0.044);
    expect(run.results.map(({ score, explanation }) => [score, explanation])).toEqual([
      ['90', 'Because'],
      ['20', 'Because'],
    ]);
    const judged = world.provider.seen.map(questionIn).filter((text) => text.includes('"expected"'));
    expect(judged.map((text) => JSON.parse(text) as unknown)).toContainEqual({
      instructions: 'Be brief.',
      input: 'Rome',
      expected: 'Berlin',
      answer: 'Rome',
    });
  });

  test('that gives no score fails its case and keeps the answer', async () => {
    world.answer((call) => (isJudge(JSON.stringify(call.body)) ? says('Well done!') : echo(call)));
    const suite = await createSuite(world, [CASES[0]], { scoring_method: 'llm_judge' });
    const run = await ran(world, suite, { judge_model: 'm1' });
    expect(run).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('The judge returned no JSON object: '),
    });
    expect(run.results[0]).toMatchObject({ status: 'failed', actual_output: 'Paris', score: null });
    world.answer((call) =>
      isJudge(JSON.stringify(call.body)) ? refuse(400, { error: { message: 'too long' } }) : echo(call),
    );
    const refused = await ran(world, suite, { judge_model: 'm1' });
    expect(refused.results[0]?.error).toMatch(/^The judge could not be asked: .*too long/);
  });

  test('has to be named', async () => {
    const suite = await createSuite(world, CASES, { scoring_method: 'llm_judge' });
    const answer = await start(world, suite);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ detail: [{ loc: ['body', 'judge_model'] }] });
  });
});

test('a case that the provider refuses fails with its words, and the others are asked', async () => {
  world.answer((call) =>
    questionIn(call).includes('Rome') ? refuse(400, { error: { message: 'Not this one' } }) : echo(call),
  );
  const run = await ran(world, await createSuite(world, CASES));
  expect(run).toMatchObject({ status: 'completed', pass_count: 1, error_count: 1, done_count: 2 });
  expect(run.results[1]).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('Not this one'),
    actual_output: null,
    score: null,
    is_pass: null,
    cost_usd: null,
  });
  expect(JSON.stringify(run)).not.toContain('k-canary-0123456789');
});

test('a run whose credential was deleted fails and says so', async () => {
  const { owner, provider } = world;
  const config = { api_key: 'k-2', base_url: provider.url };
  const made = await owner.call('POST', '/api/credentials', { name: 'brief', type: 'custom', config });
  const credential_id = made.json<{ id: string }>().id;
  const run = await started(world, await createSuite(world, CASES), { credential_id });
  await owner.call('DELETE', `/api/credentials/${credential_id}`);
  await pass(world);
  expect(await readRun(world, run)).toMatchObject({
    status: 'failed',
    error: 'The credential was deleted',
    credential_id: null,
    credential_name: 'brief',
    error_count: 2,
  });
  expect(provider.seen).toEqual([]);
});

test('a credential that is no longer shared is not used for the cases that are left', async () => {
  const { app, provider } = world;
  const giver = await app.user();
  const config = { api_key: 'k-3', base_url: provider.url };
  const made = await giver.call('POST', '/api/credentials', { name: 'lent', type: 'custom', config });
  const credential_id = made.json<{ id: string }>().id;
  const shares = `/api/credentials/${credential_id}/shares`;
  await giver.call('POST', shares, { email: world.owner.email });
  const run = await started(world, await createSuite(world, CASES), { credential_id });
  await giver.call('DELETE', `${shares}/${world.owner.id}`);
  await pass(world);
  expect(await readRun(world, run)).toMatchObject({
    status: 'failed',
    error: 'The credential does not exist or is not shared with you',
  });
  expect(provider.seen).toEqual([]);
});

test('each call leaves a trace of the person', async () => {
  const suite = await createSuite(world, [['A trace of it', 'x']]);
  await ran(world, suite);
  await world.app.services.traces.flush();
  const list = await world.owner.call('GET', '/api/traces?source=eval&search=A trace of it');
  const [found] = list.json<TraceList>().items;
  expect(found).toMatchObject({ source: 'eval', model: 'm1', credential_name: 'models', cost_usd: 0.022 });
  const trace = (await world.owner.call('GET', `/api/traces/${found?.id}`)).json<Trace>();
  expect(trace).toMatchObject({ request: { system: 'Be brief.' }, response: { text: 'A trace of it' } });
});

test('values of credentials are hidden in what is stored of an answer', async () => {
  const secret = 'bearer-canary-55555';
  const made = { name: 'HIDDEN', type: 'bearer', config: { bearer_token: secret } };
  await world.owner.call('POST', '/api/credentials', made);
  const run = await ran(world, await createSuite(world, [[`Say ${secret}`, 'x']]));
  expect(run.results[0]?.actual_output).toBe('Say bearer-**');
});

test('long texts are cut in the list, and whole in the result', async () => {
  const long = 'x'.repeat(EVAL_LIMITS.listed_characters + 1);
  const run = await ran(world, await createSuite(world, [[long, long], CASES[0]]));
  expect(run.results.map(({ is_cut, actual_output }) => [is_cut, actual_output?.length])).toEqual([
    [true, EVAL_LIMITS.listed_characters],
    [false, 5],
  ]);
  const answer = await world.owner.call('GET', `${RUNS}/${run.id}/results/${run.results[0]?.id}`);
  expect(answer.json<EvalResult>()).toMatchObject({
    input_snapshot: long,
    actual_output: long,
    is_cut: false,
  });
  const none = await world.owner.call('GET', `${RUNS}/${run.id}/results/${run.id}`);
  expect(none.statusCode).toBe(404);
});

test('a run keeps what it asked when the suite changes or loses its cases', async () => {
  const suite = await createSuite(world, CASES);
  const run = await ran(world, suite);
  const url = `${SUITES}/${suite.id}`;
  await world.owner.call('PATCH', `${url}/test-cases/${suite.test_cases[0]?.id}`, { input: 'changed' });
  await world.owner.call('DELETE', `${url}/test-cases/${suite.test_cases[1]?.id}`);
  const kept = await readRun(world, run);
  expect(kept.results.map((one) => [one.input_snapshot, one.test_case_id])).toEqual([
    ['Paris', suite.test_cases[0]?.id],
    ['Rome', null],
  ]);
});

describe('what may not run', () => {
  test.each([
    ['no test cases', [], {}, [400, /has no test cases/]],
    ['a case without input', [[' ', 'x']], {}, [400, /Test case 1 has no input/]],
    ['no model', CASES, { models: [] }, [422, /at least one model/]],
    ['a model twice', CASES, { models: ['a', 'a'] }, [422, /must not name a model twice/]],
    ['too many models', CASES, { models: [...'abcdefghi'] }, [422, /8/]],
    ['too hot', CASES, { temperature: 2.1 }, [422, /2/]],
    ['too often', CASES, { runs_per_test: 21 }, [422, /20/]],
    ['no schema', CASES, { scoring_method: 'schema' }, [422, /test case 1: its expected output is not JSON/]],
    ['no credential', CASES, { credential_id: crypto.randomUUID() }, [404, /Credential not found/]],
  ] as const)('%s', async (_, cases, body, [status, words]) => {
    const answer = await start(world, await createSuite(world, cases), body);
    expect([answer.statusCode, answer.body]).toEqual([status, expect.stringMatching(words)]);
  });

  test('a credential that opens no model', async () => {
    const made = { name: 'no model', type: 'bearer', config: { bearer_token: 'bearer-token-1' } };
    const { id } = (await world.owner.call('POST', '/api/credentials', made)).json<{ id: string }>();
    const answer = await start(world, await createSuite(world, CASES), { credential_id: id });
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringMatching(/not of a model type/)]);
    const judged = { scoring_method: 'llm_judge', judge_model: 'm', judge_credential_id: id };
    expect((await start(world, await createSuite(world, CASES), judged)).statusCode).toBe(400);
  });

  test('more answers than a run may have', async () => {
    const suite = await createSuite(world, []);
    await world.app.services.database.sql.query({
      text: `INSERT INTO eval_test_cases (suite_id, input, expected_output, order_index)
        SELECT $1, 'x', 'y', n FROM generate_series(1, 101) n`,
      values: [suite.id],
    });
    const answer = await start(world, suite, { runs_per_test: 20 });
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringMatching(/2020 answers/)]);
  });

  test('more runs at once than a person may have', async () => {
    const suite = await createSuite(world, CASES);
    const asked = await Promise.all(Array.from({ length: 7 }, () => start(world, suite)));
    expect(asked.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 200, 200, 200, 200, 409, 409]);
    await world.owner.call('DELETE', `${SUITES}/${suite.id}/runs`);
    expect((await world.owner.call('GET', `${SUITES}/${suite.id}/runs`)).json()).toEqual([]);
    expect((await start(world, suite)).statusCode).toBe(200);
    await pass(world);
  });
});

describe('a run under way', () => {
  /** A run whose first answer is there and whose second one never comes. */
  async function halfway(): Promise<{ run: EvalRunSummary; working: Promise<void> }> {
    world.answer((call) => (questionIn(call).includes('Rome') ? { chunks: [], end: 'hang' } : echo(call)));
    const run = await started(world, await createSuite(world, CASES));
    const working = pass(world);
    await until(async () => (await readRun(world, run)).done_count === 1 && world.provider.seen.length === 2);
    return { run, working };
  }
  const url = ({ id }: EvalRunSummary) => `${RUNS}/${id}`;

  test('shows its progress, and is cancelled with its calls', async () => {
    const { run, working } = await halfway();
    expect(await readRun(world, run)).toMatchObject({ status: 'running', done_count: 1, total_count: 2 });
    const cancelled = await world.owner.call('POST', `${url(run)}/cancel`);
    expect(cancelled.json()).toMatchObject({ status: 'cancelled', done_count: 1 });
    await working;
    await world.provider.seen[1]?.closed;
    expect((await world.owner.call('POST', `${url(run)}/cancel`)).statusCode).toBe(200);
    const kept = await readRun(world, run);
    expect(kept.results.map(({ status, score }) => [status, score])).toEqual([
      ['completed', 'pass'],
      ['cancelled', null],
    ]);
  }, 20_000);

  test('is deleted with its calls', async () => {
    const { run, working } = await halfway();
    expect((await world.owner.call('DELETE', url(run))).statusCode).toBe(204);
    await working;
    expect((await world.owner.call('GET', url(run))).statusCode).toBe(404);
  }, 20_000);

  test('ends with its suite', async () => {
    const { run, working } = await halfway();
    await world.owner.call('DELETE', `${SUITES}/${run.suite_id}`);
    await working;
    expect((await world.owner.call('GET', url(run))).statusCode).toBe(404);
  }, 20_000);
});

test('a run that has ended is not cancelled, and is renamed and deleted', async () => {
  const run = await ran(world, await createSuite(world, CASES));
  const url = `${RUNS}/${run.id}`;
  const refused = await world.owner.call('POST', `${url}/cancel`);
  expect([refused.statusCode, refused.body]).toEqual([409, expect.stringContaining('completed already')]);
  const renamed = await world.owner.call('PATCH', url, { name: 'Before the change' });
  expect(renamed.json<EvalRun>().name).toBe('Before the change');
  expect((await world.owner.call('PATCH', url, { name: '' })).statusCode).toBe(422);
  expect((await world.owner.call('DELETE', url)).statusCode).toBe(204);
  expect((await world.owner.call('GET', `${SUITES}/${run.suite_id}/runs`)).json()).toEqual([]);
});

test('a model router chooses for each case', async () => {
  const { owner, credential_id, provider } = world;
  const create = async (name: string, type: string, config: object) =>
    (await owner.call('POST', '/api/credentials', { name, type, config })).json<{ id: string }>().id;
  const decision_credential_id = await create('decision', 'decision', { base_url: provider.url });
  const options = ['small', 'large'].map((label) => ({ label, credential_id, model: `m-${label}` }));
  const config = { decision_credential_id, decision_model: 'chooser', options };
  const router = await create('router', 'model_router', config);
  world.answer((call) =>
    call.path.includes('systemone')
      ? json({ model: 'chooser', answers: { route: { type: 'choice', choice: 'large' } } })
      : echo(call),
  );
  const run = await ran(world, await createSuite(world, CASES), { credential_id: router, models: ['Auto'] });
  expect(run.results.map(({ error, actual_output }) => error ?? actual_output)).toEqual(['Paris', 'Rome']);
  const models = provider.seen.map(({ body }) => body?.['model']).toSorted();
  expect(models).toEqual(['chooser', 'chooser', 'm-large', 'm-large']);
});
