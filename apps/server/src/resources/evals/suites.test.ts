import { EVAL_LIMITS, type EvalSuite, type EvalSuiteSummary, type EvalTestCase } from '@millrace/contracts';
import { refuse } from '@millrace/models/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../../testing/test-app.ts';
import { createEvalWorld, createSuite, type EvalWorld, ran, SUITES, says } from './testing/world.ts';

let world: EvalWorld;
let owner: TestUser;
let other: TestUser;
beforeAll(async () => {
  world = await createEvalWorld();
  owner = world.owner;
  other = await world.app.user();
});
afterAll(() => world.close());

const readProblems = (answer: { json: <T>() => T }) =>
  answer.json<{ detail: { loc: string[]; msg: string }[] }>().detail;

test('a suite has the defaults of its fields, is changed and is deleted', async () => {
  const made = await owner.call('POST', SUITES, { name: ' Moods ' });
  expect(made.statusCode).toBe(200);
  const suite = made.json<EvalSuite>();
  expect(suite).toMatchObject({
    name: 'Moods',
    description: null,
    system_prompt: '',
    scoring_method: 'exact_match',
    test_cases: [],
  });
  const url = `${SUITES}/${suite.id}`;
  const changed = await owner.call('PATCH', url, { system_prompt: 'Be glad.', scoring_method: 'contains' });
  expect(changed.json()).toMatchObject({
    name: 'Moods',
    system_prompt: 'Be glad.',
    scoring_method: 'contains',
  });
  expect((await owner.call('DELETE', url)).statusCode).toBe(204);
  expect((await owner.call('GET', url)).statusCode).toBe(404);
});

test('test cases keep their order, and are changed and deleted', async () => {
  const suite = await createSuite(world, [
    ['b', '2'],
    ['c', '3'],
  ]);
  const url = `${SUITES}/${suite.id}/test-cases`;
  const first = await owner.call('POST', url, { input: 'a', expected_output: '1', order_index: 0 });
  await owner.call('PATCH', `${url}/${suite.test_cases[0]?.id}`, { order_index: 1 });
  await owner.call('PATCH', `${url}/${suite.test_cases[1]?.id}`, { order_index: 2, input: 'C' });
  const read = async () => (await owner.call('GET', `${SUITES}/${suite.id}`)).json<EvalSuite>().test_cases;
  expect((await read()).map(({ input }) => input)).toEqual(['a', 'b', 'C']);
  const { id } = first.json<EvalTestCase>();
  expect((await owner.call('DELETE', `${url}/${id}`)).statusCode).toBe(204);
  expect((await owner.call('DELETE', `${url}/${id}`)).statusCode).toBe(404);
  expect((await read()).map(({ input }) => input)).toEqual(['b', 'C']);
});

test('a text whose mode is json has to be JSON', async () => {
  const suite = await createSuite(world, [['{"a":1}', '']]);
  const url = `${SUITES}/${suite.id}/test-cases`;
  const refused = await owner.call('POST', url, { input: '{', input_mode: 'json' });
  expect(refused.statusCode).toBe(422);
  expect(readProblems(refused)).toMatchObject([
    { loc: ['body', 'input'], msg: expect.stringContaining('is not JSON') },
  ]);
  const one = `${url}/${suite.test_cases[0]?.id}`;
  expect((await owner.call('PATCH', one, { input_mode: 'json' })).statusCode).toBe(200);
  const wrong = await owner.call('PATCH', one, { expected_mode: 'json' });
  expect(readProblems(wrong)).toMatchObject([{ loc: ['body', 'expected_output'] }]);
});

test('a suite has as many test cases as it may have, also when they come at once', async () => {
  const suite = await createSuite(world);
  const { sql } = world.app.services.database;
  await sql.query({
    text: `INSERT INTO eval_test_cases (suite_id, input, expected_output, order_index)
      SELECT $1, 'x', 'y', n FROM generate_series(1, $2::int) n`,
    values: [suite.id, EVAL_LIMITS.cases - 1],
  });
  const add = () => owner.call('POST', `${SUITES}/${suite.id}/test-cases`, { input: 'a' });
  const statuses = (await Promise.all([add(), add(), add()])).map(({ statusCode }) => statusCode);
  expect(statuses.toSorted()).toEqual([200, 409, 409]);
});

test('the list has the suites of the person with their last run', async () => {
  const suite = await createSuite(world, [['Paris', 'Paris']], { name: 'A list' });
  const run = await ran(world, suite);
  const list = (await owner.call('GET', SUITES)).json<EvalSuiteSummary[]>();
  expect(list.find(({ id }) => id === suite.id)).toMatchObject({
    name: 'A list',
    test_case_count: 1,
    last_run: { id: run.id, status: 'completed', pass_count: 1, total_count: 1 },
  });
  expect((await other.call('GET', SUITES)).json()).toEqual([]);
});

test.each([
  ['POST', '', { name: ' ' }, ['body', 'name']],
  ['POST', '', { name: 'x', scoring_method: 'guess' }, ['body', 'scoring_method']],
  ['POST', '', { name: 'x', system_prompt: 'a\u0000' }, ['body', 'system_prompt']],
  ['GET', '/no-id', undefined, ['path', 'id']],
])('%s %s with %j names the field', async (method, path, body, loc) => {
  const answer = await owner.call(method, `${SUITES}${path}`, body);
  expect(answer.statusCode, answer.body).toBe(422);
  expect(readProblems(answer)[0]?.loc).toEqual(loc);
});

test('what belongs to another person is not there', async () => {
  const suite = await createSuite(world, [['a', 'b']]);
  const run = await ran(world, suite);
  const case_url = `${SUITES}/${suite.id}/test-cases/${suite.test_cases[0]?.id}`;
  const asked = { credential_id: world.credential_id, model: 'm1' };
  for (const [method, url, body] of [
    ['GET', `${SUITES}/${suite.id}`],
    ['PATCH', `${SUITES}/${suite.id}`, { name: 'x' }],
    ['DELETE', `${SUITES}/${suite.id}`],
    ['POST', `${SUITES}/${suite.id}/test-cases`, { input: 'x' }],
    ['PATCH', case_url, { input: 'x' }],
    ['DELETE', case_url],
    ['POST', `${SUITES}/${suite.id}/run`, { credential_id: world.credential_id, models: ['m'] }],
    ['POST', `${SUITES}/${suite.id}/optimize-prompt`, { ...asked, system_prompt: 'x' }],
    ['POST', `${SUITES}/${suite.id}/generate-test-data`, asked],
    ['GET', `${SUITES}/${suite.id}/runs`],
    ['DELETE', `${SUITES}/${suite.id}/runs`],
    ['GET', `/api/evals/runs/${run.id}`],
    ['GET', `/api/evals/runs/${run.id}/results/${run.results[0]?.id}`],
    ['PATCH', `/api/evals/runs/${run.id}`, { name: 'x' }],
    ['POST', `/api/evals/runs/${run.id}/cancel`],
    ['DELETE', `/api/evals/runs/${run.id}`],
  ] as const) {
    expect((await other.call(method, url, body)).statusCode, `${method} ${url}`).toBe(404);
  }
});

test('a model proposes a prompt and test cases, and nothing is stored', async () => {
  const suite = await createSuite(world, [['France', 'Paris']]);
  const asked = { credential_id: world.credential_id, model: 'm1' };
  world.answer(({ body }) => {
    const text = JSON.stringify(body);
    expect(text).toContain('France');
    return says(
      text.includes('further test cases')
        ? JSON.stringify({ test_cases: [1, 2, 3].map((n) => ({ input: `in ${n}`, expected_output: 'out' })) })
        : ' Name the capital. ',
    );
  });
  const url = `${SUITES}/${suite.id}`;
  const optimized = await owner.call('POST', `${url}/optimize-prompt`, {
    ...asked,
    system_prompt: 'Capital?',
  });
  expect(optimized.json()).toEqual({ optimized_prompt: 'Name the capital.' });
  const generated = await owner.call('POST', `${url}/generate-test-data`, { ...asked, count: 2 });
  expect(generated.json()).toEqual({
    test_cases: [1, 2].map((n) => ({ input: `in ${n}`, expected_output: 'out' })),
  });
  expect((await owner.call('GET', url)).json()).toEqual(suite);

  world.answer(() => says('{"cases":[]}'));
  const none = await owner.call('POST', `${url}/generate-test-data`, asked);
  expect([none.statusCode, none.json<{ detail: string }>().detail]).toEqual([
    503,
    'The model gave no proposal: its answer has no test cases',
  ]);
  world.answer(() => refuse(400, { error: { message: 'no such model' } }));
  const refused = await owner.call('POST', `${url}/optimize-prompt`, { ...asked, system_prompt: 'x' });
  expect(refused.json<{ detail: string }>().detail).toMatch(/no such model/);
  expect((await owner.call('POST', `${url}/generate-test-data`, { ...asked, count: 21 })).statusCode).toBe(
    422,
  );
});
