import type { CostEstimate } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { type TestUser, useTestApp } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph } from '../executions/testing/workflows.ts';

const app = await useTestApp({ env: { MODEL_PRICES: '{"m1":{"input":1000,"output":2000}}' } });

const asking = (data: JsonObject = {}) =>
  graph(
    [
      ['start', 'textInput'],
      ['ask', 'llm', { model: 'm1', userMessage: '$start.text', ...data }],
    ],
    ['start>ask'],
  );

/** Runs with one call for each amount, the first run the newest. */
async function ran(
  user: TestUser,
  workflow_id: string,
  runs: readonly (readonly (number | null)[])[],
  run_id = newId(),
) {
  for (const [at, costs] of runs.entries()) {
    await app.services.database.sql.query({
      text: `INSERT INTO traces (id, user_id, source, request_type, model, workflow_id, run_id, request, is_cut, cost_usd, elapsed_ms, created_at)
        SELECT gen_random_uuid(), $1, 'workflow', 'chat', 'm1', $2, $3, '{}', false, cost, 5, $5::timestamptz
        FROM unnest($4::float8[]) AS t(cost)`,
      values: [
        user.id,
        workflow_id,
        at === 0 ? run_id : newId(),
        costs,
        new Date(app.clock.now - at * 60_000),
      ],
    });
  }
}

async function estimate(user: TestUser, id: string): Promise<CostEstimate> {
  const answer = await user.call('GET', `/api/workflows/${id}/cost-estimate`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<CostEstimate>();
}

test('the last runs say what the next one will cost, with all of their calls', async () => {
  const user = await app.user();
  const id = await createWorkflow(user, asking());
  const other = await createWorkflow(user, asking());
  await ran(user, id, [[0.1, 0.2, null], [0.1], [0.2]]);
  await ran(user, other, [[50]]);
  const found = await estimate(user, id);
  expect(found).toMatchObject({ basis: 'runs', runs: 3, unlimited_nodes: ['ask'], unpriced_nodes: [] });
  expect(found.median_usd).toBeCloseTo(0.2, 9);
  expect(found.up_to_usd).toBeCloseTo(0.29, 9);
});

test('only the newest 50 runs count', async () => {
  const user = await app.user();
  const id = await createWorkflow(user, asking());
  await ran(user, id, [...Array.from({ length: 50 }, () => [1]), [1_000], [1_000], [1_000]]);
  expect(await estimate(user, id)).toMatchObject({ runs: 50, up_to_usd: 1, median_usd: 1 });
});

test('a run that has not ended does not count: it will cost more', async () => {
  const user = await app.user();
  const waiting = graph(
    [
      ['start', 'textInput'],
      ['hold', 'callback'],
      ['ask', 'llm', { model: 'm1', userMessage: 'Hi' }],
    ],
    ['start>hold', 'hold:called>ask'],
  );
  const id = await createWorkflow(user, waiting);
  const pending = await user.call('POST', executeUrl(id), { text: 'x' });
  expect(pending.json()).toMatchObject({ status: 'pending' });
  await ran(user, id, [[0.25]]);
  await ran(user, id, [[8]], String(pending.headers['x-execution-id']));
  expect(await estimate(user, id)).toMatchObject({ runs: 1, up_to_usd: 0.25 });
});

test('without such runs prices and limits of the nodes do', async () => {
  const user = await app.user();
  const id = await createWorkflow(user, asking({ maxTokens: 500 }));
  await ran(user, id, [[null]]);
  const found = await estimate(user, id);
  expect(found).toMatchObject({ basis: 'limits', runs: 0, median_usd: null });
  // 1,000 tokens for the input and 4 for what is written, 500 for the answer.
  expect(found.up_to_usd).toBeCloseTo(1.004 + 1, 9);
});

test('without a limit there is no estimate, and the budget of a run is one', async () => {
  const user = await app.user();
  const id = await createWorkflow(user, asking());
  expect(await estimate(user, id)).toEqual({
    basis: 'none',
    up_to_usd: null,
    median_usd: null,
    runs: 0,
    unlimited_nodes: ['ask'],
    unpriced_nodes: [],
    starting_nodes: [],
  });
  await user.call('PUT', `/api/workflows/${id}`, { run_budget_usd: 0.5 });
  expect(await estimate(user, id)).toMatchObject({ basis: 'limits', up_to_usd: 0.5 });
  await ran(user, id, [[2], [0.25], [0.25]]);
  expect(await estimate(user, id)).toMatchObject({ basis: 'runs', up_to_usd: 0.5, median_usd: 0.25 });
});

test('a workflow without models has none, and that of another person does not exist', async () => {
  const user = await app.user();
  const id = await createWorkflow(user, graph([['start', 'textInput']], []));
  expect(await estimate(user, id)).toMatchObject({ basis: 'none', unlimited_nodes: [], unpriced_nodes: [] });
  const stranger = await app.user();
  expect((await stranger.call('GET', `/api/workflows/${id}/cost-estimate`)).statusCode).toBe(404);
});

test('nodes that start workflows are named, unless a budget of the run bounds what these cost', async () => {
  const user = await app.user();
  const below = await createWorkflow(user, asking());
  const content = graph(
    [
      ['start', 'textInput'],
      ['ask', 'llm', { model: 'm1', userMessage: 'Hi', maxCostUsd: 0.5 }],
      ['call', 'execute', { executeWorkflowId: below }],
      ['boss', 'agent', { model: 'm1', userMessage: 'Hi', maxCostUsd: 0.5, subWorkflowIds: [below] }],
      ['alone', 'agent', { model: 'm1', userMessage: 'Hi', maxCostUsd: 0.5 }],
    ],
    ['start>ask', 'ask>call', 'call>boss', 'boss>alone'],
  );
  const id = await createWorkflow(user, content);
  expect(await estimate(user, id)).toMatchObject({ up_to_usd: 1.5, starting_nodes: ['call', 'boss'] });
  await user.call('PUT', `/api/workflows/${id}`, { run_budget_usd: 1 });
  expect(await estimate(user, id)).toMatchObject({ up_to_usd: 1, starting_nodes: [] });
});
