import type { JsonObject } from '@millrace/engine';
import { chatStream } from '@millrace/models/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { graph } from '../../resources/executions/testing/workflows.ts';
import type { TestUser } from '../../testing/test-app.ts';
import { listRunLimits, loadSpending } from './limits.ts';
import {
  CALL_USD,
  createWith,
  findNode,
  listWarnings,
  type RunAnswer,
  readNewestRun,
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

const model = (data: JsonObject = {}): JsonObject => ({
  credentialId,
  model: 'm1',
  userMessage: 'Hi',
  ...data,
});

type Step = readonly [type: string, data: JsonObject];
const asks = (): Step => ['llm', model()];
const calls = (workflow_id: string, data: JsonObject = {}): Step => [
  'execute',
  { executeWorkflowId: workflow_id, executeInput: '$start.text', ...data },
];

/** Nodes in a row, named `n1`, `n2` and so on. */
const inRow = (...steps: readonly Step[]) =>
  graph(
    [
      ['start', 'textInput'],
      ...steps.map(([type, data], at): [string, string, JsonObject] => [`n${at + 1}`, type, data]),
      ['out', 'output', { message: 'end' }],
    ],
    ['start', ...steps.map((_, at) => `n${at + 1}`), 'out'].flatMap((label, at, all) =>
      all[at + 1] === undefined ? [] : [`${label}>${all[at + 1]}`],
    ),
  );

const made = (content: ReturnType<typeof graph>, settings: object = {}) =>
  createWith(user, content, settings);
const run = (id: string) => runOnce(user, id);
const seen = () => spending.provider.seen.length;

/** A workflow that runs one that runs one that asks a model as often as said. */
async function createLevels(count: number) {
  const lowest = await made(inRow(...Array.from({ length: count }, asks)));
  const middle = await made(inRow(calls(lowest)));
  return { lowest, middle };
}

async function readBudgetIds(): Promise<(string[] | null)[]> {
  await spending.app.services.traces.flush();
  const { rows } = await spending.app.services.database.sql.query<{ budget_ids: string[] | null }>({
    text: 'SELECT budget_ids FROM traces WHERE user_id = $1 ORDER BY id',
    values: [user.id],
  });
  return rows.map(({ budget_ids }) => budget_ids);
}

test('what runs two levels below have spent counts for the budget of a run, and stops it', async () => {
  const { middle } = await createLevels(1);
  const answer = await run(await made(inRow(calls(middle), calls(middle), asks()), { run_budget_usd: 0.04 }));
  expect(seen()).toBe(2);
  expect(findNode(answer, 'n2')?.status).toBe('success');
  expect(answer.status).toBe('error');
  expect(findNode(answer, 'n3')).toMatchObject({
    error:
      'The cost budget of this run is used up: $0.044 of $0.04 was spent; raise it in the settings of the workflow',
    output: { budget_reached: { budget: 'run', amount_usd: 0.04, spent_usd: 2 * CALL_USD } },
  });
});

test('a run two levels below is stopped by the budget of the first, without its amounts, and so are those between', async () => {
  const { lowest, middle } = await createLevels(3);
  const top = await run(await made(inRow(asks(), calls(middle)), { run_budget_usd: 0.04 }));
  expect(seen()).toBe(2);
  const below = await readNewestRun(user, lowest);
  expect(findNode(below, 'n1')?.status).toBe('success');
  const words =
    'The cost budget of the run that started this one is used up; raise it in the settings of its workflow';
  expect(findNode(below, 'n2')).toMatchObject({
    error: words,
    output: { budget_reached: { budget: 'run' } },
  });
  expect(JSON.stringify(below)).not.toMatch(/amount_usd|0\.04/);
  expect(findNode(await readNewestRun(user, middle), 'n1')).toMatchObject({ status: 'error', error: words });
  expect(top.status).toBe('error');
  expect(findNode(top, 'n2')?.error).toContain('The cost budget of this run is used up: $0.044 of $0.04');
});

test('a sub-workflow that fails for another reason is an ordinary result while the budget lasts', async () => {
  const failing = await made(inRow(asks(), ['throwError', { errorMessage: 'no stock' }]));
  const answer = await run(await made(inRow(calls(failing), asks()), { run_budget_usd: 1 }));
  expect(findNode(answer, 'n1')).toMatchObject({ status: 'success', output: { status: 'error' } });
  expect(answer.status).toBe('success');
});

test('a sub-workflow that fails for another reason is none of the budget, though it used the rest of it', async () => {
  const failing = await made(inRow(asks(), ['throwError', { errorMessage: 'no stock' }]));
  const answer = await run(await made(inRow(calls(failing)), { run_budget_usd: 0.02 }));
  expect(findNode(answer, 'n1')).toMatchObject({ status: 'success', output: { status: 'error' } });
});

test('the log warns at 80 % also when the call is that of a run below, and names the run of the budget once', async () => {
  const { middle } = await createLevels(5);
  const { id } = await run(await made(inRow(calls(middle)), { run_budget_usd: 0.105 }));
  expect(seen()).toBe(5);
  expect(listWarnings(spending.logged)).toMatchObject([{ budget: 'run', budget_id: id, amount_usd: 0.105 }]);
});

test('workflows that an agent runs as tools count, and end it with its result so far', async () => {
  const { middle } = await createLevels(1);
  const boss: Step = ['agent', model({ subWorkflowIds: [middle] })];
  const use = usesTool('call_sub_workflow', { workflow_id: middle, inputs: { text: 'go' } });
  spending.replies.push(use);
  const answer = await run(await made(inRow(boss), { run_budget_usd: 0.04 }));
  expect(seen()).toBe(2);
  expect(findNode(answer, 'n1')).toMatchObject({
    status: 'success',
    output: { limit_reached: 'cost_budget', tool_calls: [{ name: 'call_sub_workflow' }] },
  });
});

test('the budget of an agent counts the workflows that it runs, and stops them', async () => {
  const { lowest, middle } = await createLevels(3);
  const boss: Step = ['agent', model({ subWorkflowIds: [middle], maxCostUsd: 0.04 })];
  spending.replies.push(usesTool('call_sub_workflow', { workflow_id: middle, inputs: { text: 'go' } }));
  const id = await made(inRow(boss, asks()));
  const answer = await run(id);
  expect(findNode(await readNewestRun(user, lowest), 'n2')?.error).toContain(
    'The cost budget of a node of the run that started this one is used up',
  );
  expect(findNode(answer, 'n1')?.output).toMatchObject({ limit_reached: 'cost_budget' });
  expect(seen(), 'two of the agent and its workflow, one of the node after it').toBe(3);
  const uses = await user.call('GET', `/api/workflows/${id}/budget-use?run_id=${answer.id}`);
  expect(uses.json()).toMatchObject({
    items: [
      { budget: 'node', node_label: 'n1', amount_usd: 0.04, spent_usd: 2 * CALL_USD, state: 'used_up' },
    ],
  });
});

test('runs below that work at the same time exceed the budget by no more than the calls under way', async () => {
  const { middle } = await createLevels(3);
  let open = (): void => undefined;
  const bothAsked = new Promise<void>((resolve) => {
    open = resolve;
  });
  const held = { chunks: [bothAsked, ...chatStream(['Done.'])] };
  spending.replies.push(held, held);
  const [, call] = calls(middle);
  const content = graph(
    [
      ['start', 'textInput'],
      ['left', 'execute', call],
      ['right', 'execute', call],
      ['out', 'output', { message: 'end' }],
    ],
    ['start>left', 'start>right', 'left>out', 'right>out'],
  );
  const id = await made(content, { run_budget_usd: 0.02 });
  const ended = run(id);
  await expect.poll(seen, { timeout: 10_000 }).toBe(2);
  open();
  const answer = await ended;
  expect(answer.status).toBe('error');
  expect(seen(), 'the calls that were under way, and none after them').toBe(2);
  const uses = await user.call('GET', `/api/workflows/${id}/budget-use?run_id=${answer.id}`);
  expect(uses.json()).toMatchObject({
    items: [{ budget: 'run', spent_usd: 2 * CALL_USD, state: 'used_up' }],
  });
});

test('a run that nothing waits for keeps to the budget of the run that started it', async () => {
  const { lowest } = await createLevels(3);
  await run(await made(inRow(asks(), calls(lowest, { executeDoNotWait: true })), { run_budget_usd: 0.04 }));
  let below: RunAnswer | undefined;
  await expect
    .poll(async () => (below = await readNewestRun(user, lowest)).status, { timeout: 15_000 })
    .toBe('error');
  expect(below && findNode(below, 'n2')?.error).toContain('the run that started this one');
  expect(seen()).toBe(2);
});

test('a run counts only itself and those below it, and one started on its own keeps to no budget above', async () => {
  const lowest = await made(inRow(asks()));
  const middle = await made(inRow(asks(), calls(lowest), asks()), { run_budget_usd: 0.05 });
  const top = await made(inRow(asks(), asks(), calls(middle)), { run_budget_usd: 1 });
  expect((await run(top)).status).toBe('success');
  const [top_id, middle_id] = await Promise.all(
    [top, middle].map(async (id) => (await readNewestRun(user, id)).id),
  );
  expect(await readBudgetIds()).toEqual([null, null, [top_id], [top_id, middle_id], [top_id]]);
  expect((await run(lowest)).status).toBe('success');
  expect((await readBudgetIds()).at(-1)).toBeNull();
});

test('without budgets nothing is stored with runs and traces, and no spending is read', async () => {
  const { sql } = spending.app.services.database;
  const texts: string[] = [];
  const query = sql.query.bind(sql);
  const { middle, lowest } = await createLevels(1);
  const id = await made(inRow(calls(middle), asks()));
  sql.query = (asked) => {
    texts.push(asked.text);
    return query(asked);
  };
  try {
    await run(id);
  } finally {
    sql.query = query;
  }
  expect(texts.filter((text) => text.includes('FROM traces WHERE cost_usd'))).toEqual([]);
  expect(await readBudgetIds()).toEqual([null, null]);
  const { rows } = await sql.query<{ options: string | null }>({
    text: 'SELECT options FROM runs WHERE workflow_id = ANY($1::uuid[])',
    values: [[middle, lowest]],
  });
  expect(rows).toHaveLength(2);
  for (const { options } of rows) expect(options ?? '').not.toContain('budgets_above');
});

test('sums of runs with others below are read from indexes', async () => {
  const { sql } = spending.app.services.database;
  await sql.query({
    text: `INSERT INTO traces (id, user_id, source, request_type, model, run_id, request, is_cut, cost_usd, elapsed_ms, created_at, budget_ids)
      SELECT gen_random_uuid(), $1, 'workflow', 'chat', 'm1', gen_random_uuid(), '{}', false, 1, 5, now(), ARRAY[gen_random_uuid()::text]
      FROM generate_series(1, 5000)`,
    values: [user.id],
  });
  await sql.query({ text: 'ANALYZE traces' });
  const run_id = '01900000-0000-7000-8000-000000000000';
  const nodes = [{ label: 'n1', execution_key: `${run_id}:n1:0`, amount_usd: 1 }];
  const plans: string[] = [];
  const query = sql.query.bind(sql);
  sql.query = async (asked) => {
    const explained = await query<{ 'QUERY PLAN': string }>({ ...asked, text: `EXPLAIN ${asked.text}` });
    plans.push(...explained.rows.map((row) => row['QUERY PLAN']));
    return query(asked);
  };
  try {
    const limits = listRunLimits({ run_id, budget_usd: 1, nodes, above: [] });
    expect(await loadSpending(sql, limits)).toEqual([0, 0]);
  } finally {
    sql.query = query;
  }
  const plan = plans.join('\n');
  expect(plan.match(/Index Scan (?:on|using) \w+/g)?.map((line) => line.split(' ').at(-1))).toEqual([
    'traces_run',
    'traces_budgets',
    'traces_run',
    'traces_budgets',
  ]);
});
