import type { JsonObject } from '@millrace/engine';
import { chatStream, type FakeReply } from '@millrace/models/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { graph } from '../../resources/executions/testing/workflows.ts';
import type { TestUser } from '../../testing/test-app.ts';
import {
  CALL_USD,
  createWith,
  findNode,
  listWarnings,
  runOnce,
  type SpendingApp,
  startSpendingApp,
  startTest,
  usesTool,
} from './testing/spending-app.ts';

let spending: SpendingApp;
let user: TestUser;
let credentialId: string;

beforeAll(async () => {
  spending = await startSpendingApp();
});
afterAll(() => spending.close());
beforeEach(async () => {
  ({ user, credentialId } = await startTest(spending));
});

const llm = (data: JsonObject = {}): JsonObject => ({
  credentialId,
  model: 'm1',
  userMessage: 'Hi',
  ...data,
});
/** As many language models in a row. */
const inRow = (count: number, data: JsonObject = {}) =>
  graph(
    [
      ['start', 'textInput'],
      ...Array.from({ length: count }, (_, at): [string, string, JsonObject] => [
        `ask${at + 1}`,
        'llm',
        llm(data),
      ]),
      ['out', 'output', { message: `$ask${count}.text` }],
    ],
    [
      'start>ask1',
      ...Array.from({ length: count - 1 }, (_, at) => `ask${at + 1}>ask${at + 2}`),
      `ask${count}>out`,
    ],
  );

const made = (content: ReturnType<typeof graph>, settings: object = {}) =>
  createWith(user, content, settings);
const run = (id: string) => runOnce(user, id);
const answerWith = (...replies: FakeReply[]) => spending.replies.splice(0, Infinity, ...replies);
const warnings = () => listWarnings(spending.logged);

test('the budget of a run stops it before the next call, and the error names amount and spending', async () => {
  const id = await made(inRow(3), { run_budget_usd: 0.04 });
  const answer = await run(id);
  expect(answer.status).toBe('error');
  expect(spending.provider.seen).toHaveLength(2);
  expect(findNode(answer, 'ask2')?.status).toBe('success');
  expect(findNode(answer, 'ask3')).toMatchObject({
    status: 'error',
    error:
      'The cost budget of this run is used up: $0.044 of $0.04 was spent; raise it in the settings of the workflow',
    output: { budget_reached: { budget: 'run', amount_usd: 0.04, spent_usd: 2 * CALL_USD } },
  });
  spending.provider.seen.length = 0;
  await run(id);
  expect(spending.provider.seen, 'each run has its own').toHaveLength(2);
});

test('a stop is neither retried nor answered by the fallback model', async () => {
  const retries = { retryEnabled: true, retryMaxAttempts: 3, retryWaitSeconds: 0 };
  const fallback = { fallbackCredentialId: credentialId, fallbackModel: 'm2' };
  const id = await made(inRow(2, { ...retries, ...fallback }), { run_budget_usd: 0.01 });
  expect((await run(id)).status).toBe('error');
  expect(spending.provider.seen).toHaveLength(1);
});

test('the budget of a workflow holds for all of its runs of a day, and only of that day', async () => {
  const id = await made(inRow(1), { daily_budget_usd: 0.03 });
  await run(id);
  await run(id);
  const third = await run(id);
  expect(findNode(third, 'ask1')?.error).toMatch(
    /^The cost budget of the workflow ".+" for one day is used up: \$0\.044 of \$0\.03 was spent/,
  );
  expect(spending.provider.seen).toHaveLength(2);
  const other = await made(inRow(1), { daily_budget_usd: 0.03 });
  expect((await run(other)).status).toBe('success');
  await spending.app.services.database.sql.query({
    text: "UPDATE traces SET created_at = created_at - interval '1 day' WHERE workflow_id = $1",
    values: [id],
  });
  expect((await run(id)).status).toBe('success');
});

test('the budget of a person holds for the runs of all their workflows, and for their assistant', async () => {
  const changed = await user.call('PUT', '/api/auth/me', { daily_budget_usd: 0.02 });
  expect(changed.json()).toMatchObject({ daily_budget_usd: 0.02 });
  expect((await run(await made(inRow(1)))).status).toBe('success');
  const second = await run(await made(inRow(1)));
  expect(findNode(second, 'ask1'), 'others who see the run do not see the amounts').toMatchObject({
    error: 'The cost budget of the account for one day is used up; raise it in the settings of the account',
    output: { budget_reached: { budget: 'user_day' } },
  });
  expect(JSON.stringify(second)).not.toContain('amount_usd');
  const chat = { credential_id: credentialId, model: 'm1', message: 'What runs today?' };
  const said = await user.call('POST', '/api/ai/dashboard-chat', chat);
  expect(said.body).toContain('The cost budget of the account for one day is used up: $0.022 of $0.02');
  expect(spending.provider.seen).toHaveLength(1);
  const other = await spending.app.user();
  expect((await other.call('GET', '/api/auth/me')).json()).toMatchObject({ daily_budget_usd: null });
  await user.call('PUT', '/api/auth/me', { daily_budget_usd: null });
  expect((await run(await made(inRow(1)))).status, 'without one again').toBe('success');
});

const withTool = (data: JsonObject = {}) =>
  graph(
    [
      ['start', 'textInput'],
      ['boss', 'agent', llm(data)],
      ['shape', 'set', { mappings: [] }],
      ['out', 'output', { message: '$boss.text' }],
    ],
    ['start>boss', 'boss>out', 'shape>boss:tool-input'],
  );

test('an agent keeps what it has done when its budget is used up', async () => {
  answerWith(usesTool('shape', {}), usesTool('shape', {}), usesTool('shape', {}));
  const answer = await run(await made(withTool({ maxCostUsd: 0.03 })));
  expect(answer.status).toBe('success');
  expect(spending.provider.seen).toHaveLength(2);
  const { output } = findNode(answer, 'boss') ?? {};
  expect(output).toMatchObject({
    limit_reached: 'cost_budget',
    text: 'Cost limit reached.',
    usage: { total_tokens: 34 },
  });
  expect(output?.['tool_calls']).toHaveLength(2);
});

test('calls of agents that an agent asks count for it, and end it', async () => {
  const content = graph(
    [
      ['start', 'textInput'],
      ['boss', 'agent', llm({ maxCostUsd: 0.04, isOrchestrator: true, subAgentLabels: ['helper'] })],
      ['helper', 'agent', llm({ maxCostUsd: 1 })],
      ['out', 'output', { message: '$boss.text' }],
    ],
    ['start>boss', 'boss>out'],
  );
  answerWith(usesTool('call_sub_agent', { sub_agent_label: 'helper', prompt: 'Look.' }));
  const answer = await run(await made(content));
  expect(spending.provider.seen).toHaveLength(2);
  expect(findNode(answer, 'boss')?.output).toMatchObject({
    limit_reached: 'cost_budget',
    text: 'Cost limit reached.',
  });
});

test('the call that repairs an answer counts, and is not made over the budget', async () => {
  answerWith({ chunks: chatStream(['not JSON']) }, { chunks: chatStream(['{"a": 1}']) });
  const refused = await run(await made(inRow(1, { jsonOutputEnabled: true, maxCostUsd: 0.02 })));
  expect(findNode(refused, 'ask1')?.error).toContain('The cost budget of the node "ask1" is used up: $0.022');
  expect(spending.provider.seen).toHaveLength(1);
  answerWith({ chunks: chatStream(['not JSON']) }, { chunks: chatStream(['{"a": 1}']) });
  const id = await made(inRow(2, { jsonOutputEnabled: true }), { run_budget_usd: 0.04 });
  const counted = await run(id);
  expect(findNode(counted, 'ask1')?.status).toBe('success');
  expect(findNode(counted, 'ask2')?.error).toContain('$0.044 of $0.04');
});

test('the log warns once when four fifths of a budget are spent', async () => {
  const id = await made(inRow(5), { run_budget_usd: 0.105 });
  await run(id);
  expect(spending.provider.seen).toHaveLength(5);
  expect(warnings()).toMatchObject([
    { budget: 'run', amount_usd: 0.105, msg: expect.stringContaining('80 %') },
  ]);
});

test('a model without a known price does not count and is not stopped, and the log says so', async () => {
  const id = await made(inRow(3, { model: 'unknown' }), { run_budget_usd: 0.000_001 });
  expect((await run(id)).status).toBe('success');
  expect(warnings()).toMatchObject([
    { model: 'unknown', msg: expect.stringContaining('without a known price') },
  ]);
});

test('a call that says itself what it costs is held to the budget, although its model has no known price', async () => {
  const { budgets, traces } = spending.app.services;
  await user.call('PUT', '/api/auth/me', { daily_budget_usd: 0.5 });
  const call = { request_type: 'chat', provider: 'opencode-go', model: 'unknown' } as const;
  const planned = { ...call, reports_cost: true };
  await budgets.require(planned, { user_id: user.id });
  const ended = {
    request: {},
    response: {},
    error: null,
    usage: null,
    started_at_ms: spending.app.clock.now,
    elapsed_ms: 1,
  };
  traces.note(
    { ...call, ...ended, cost_usd: 0.75 },
    { user_id: user.id, source: 'workflow', credential: null },
  );
  await expect(budgets.require(planned, { user_id: user.id })).rejects.toThrow('$0.75 of $0.50 was spent');
});

test('amounts that are none are refused by the name of their field', async () => {
  const id = await made(inRow(1));
  for (const [field, value] of [
    ['run_budget_usd', 'much'],
    ['daily_budget_usd', 2_000_000],
  ] as const) {
    const answer = await user.call('PUT', `/api/workflows/${id}`, { [field]: value });
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain(field);
  }
  expect((await user.call('PUT', '/api/auth/me', { daily_budget_usd: 'much' })).statusCode).toBe(422);
  const node = await run(await made(inRow(1, { maxCostUsd: -1 })));
  expect(findNode(node, 'ask1')?.error).toContain('Cost budget (US dollars)');
  await user.call('PUT', `/api/workflows/${id}`, { run_budget_usd: 0 });
  const read = await user.call('GET', `/api/workflows/${id}`);
  expect(read.json()).toMatchObject({ run_budget_usd: null, daily_budget_usd: null });
});

test('calls without a budget read nothing, and those with one a single statement', async () => {
  const { sql } = spending.app.services.database;
  const texts: string[] = [];
  const query = sql.query.bind(sql);
  sql.query = (asked) => {
    texts.push(asked.text);
    return query(asked);
  };
  try {
    const id = await made(inRow(3));
    await run(id);
    await user.call('PUT', `/api/workflows/${id}`, { run_budget_usd: 1, daily_budget_usd: 1 });
    await run(id);
  } finally {
    sql.query = query;
  }
  expect(texts.filter((text) => text.includes('FROM traces WHERE cost_usd'))).toHaveLength(3);
  expect(texts.filter((text) => text.includes('daily_budget_usd FROM users')).length).toBeLessThanOrEqual(2);
});

test('the price of a model is known by list or by setting, and null where it is not', async () => {
  const fetchPrice = async (model: string, who = user) =>
    who.call('GET', `/api/credentials/${credentialId}/model-facts?model=${model}`);
  expect((await fetchPrice('m1')).json()).toMatchObject({ price: { input: 1000, output: 2000 } });
  expect((await fetchPrice('unknown')).json()).toEqual({ price: null, capabilities: null });
  expect((await fetchPrice('m1', await spending.app.user())).statusCode).toBe(404);
  expect((await fetchPrice('')).statusCode).toBe(422);
});
