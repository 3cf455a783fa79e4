import type { BudgetUse } from '@millrace/contracts';
import { HOUR_MS } from '@millrace/engine/units';
import { expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { type TestUser, useTestApp } from '../../testing/test-app.ts';
import { createWorkflow, graph, PICKY } from '../executions/testing/workflows.ts';

const app = await useTestApp();

interface Spent {
  readonly workflow_id?: string;
  readonly run_id?: string;
  readonly execution_key?: string;
  readonly usd: number;
  readonly hours_ago?: number;
}

async function spend(
  user: TestUser,
  { workflow_id, run_id, execution_key, usd, hours_ago = 0 }: Spent,
): Promise<void> {
  await app.services.database.sql.query({
    text: `INSERT INTO traces (id, user_id, source, request_type, model, workflow_id, run_id, request, is_cut, cost_usd, elapsed_ms, created_at, execution_key)
      VALUES (gen_random_uuid(), $1, 'workflow', 'chat', 'm1', $2, $3, '{}', false, $4, 5, $5, $6)`,
    values: [
      user.id,
      workflow_id ?? null,
      run_id ?? null,
      usd,
      new Date(app.clock.now - hours_ago * HOUR_MS),
      execution_key ?? null,
    ],
  });
}

async function uses(user: TestUser, path: string): Promise<BudgetUse[]> {
  const answer = await user.call('GET', path);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ items: BudgetUse[] }>().items;
}
const ofWorkflow = (id: string, query = '') => `/api/workflows/${id}/budget-use${query}`;
const OWN = '/api/auth/me/budget-use';

test('the budget of the day of a workflow has a warning from 80 % on, and is used up at 100 %', async () => {
  const user = await app.user();
  const workflow_id = await createWorkflow(user, PICKY);
  expect(await uses(user, ofWorkflow(workflow_id)), 'none is set').toEqual([]);
  await user.call('PUT', `/api/workflows/${workflow_id}`, { daily_budget_usd: 1 });
  await spend(user, { workflow_id, usd: 50, hours_ago: 25 });
  await spend(user, { workflow_id: await createWorkflow(user, PICKY), usd: 50 });
  await spend(user, { workflow_id, usd: 0.75 });
  const use = { budget: 'workflow_day', node_label: null, amount_usd: 1 };
  const first = await uses(user, ofWorkflow(workflow_id));
  expect(first).toEqual([{ ...use, spent_usd: 0.75, state: 'fine' }]);
  await spend(user, { workflow_id, usd: 0.125 });
  expect(await uses(user, ofWorkflow(workflow_id))).toEqual([{ ...use, spent_usd: 0.875, state: 'warned' }]);
  await spend(user, { workflow_id, usd: 0.125 });
  expect(await uses(user, ofWorkflow(workflow_id))).toEqual([{ ...use, spent_usd: 1, state: 'used_up' }]);
});

test('the budget of a run is that of one run, and runs of other workflows do not show in it', async () => {
  const user = await app.user();
  const workflow_id = await createWorkflow(user, PICKY);
  await user.call('PUT', `/api/workflows/${workflow_id}`, { run_budget_usd: 1 });
  expect(await uses(user, ofWorkflow(workflow_id))).toEqual([]);
  const [run_id, foreign] = [newId(), newId()];
  await spend(user, { workflow_id, run_id, usd: 0.875 });
  await spend(user, { workflow_id, run_id: newId(), usd: 8 });
  const other = await app.user();
  await spend(other, { workflow_id: await createWorkflow(other, PICKY), run_id: foreign, usd: 4 });
  const use = { budget: 'run', node_label: null, amount_usd: 1 };
  expect(await uses(user, ofWorkflow(workflow_id, `?run_id=${run_id}`))).toEqual([
    { ...use, spent_usd: 0.875, state: 'warned' },
  ]);
  expect(await uses(user, ofWorkflow(workflow_id, `?run_id=${foreign}`))).toEqual([
    { ...use, spent_usd: 0, state: 'fine' },
  ]);
  expect((await user.call('GET', ofWorkflow(workflow_id, '?run_id=1'))).statusCode).toBe(422);
});

test('the budgets of nodes are those of one run, each with the costliest round of its node and all that it called', async () => {
  const user = await app.user();
  const content = graph(
    [
      ['start', 'textInput'],
      ['a', 'llm', { maxCostUsd: 1 }],
      ['a2', 'llm', { maxCostUsd: '0.5' }],
      ['b', 'agent', { maxCostUsd: '$start.limit' }],
    ],
    ['start>a', 'a>a2', 'a2>b'],
  );
  const workflow_id = await createWorkflow(user, content);
  const run_id = newId();
  const of = (key: string, usd: number, run = run_id) =>
    spend(user, { workflow_id, run_id: run, execution_key: `${run}:${key}`, usd });
  await of('a:0', 0.25);
  await of('a:1', 0.5);
  await of('a:1:tool-1', 0.375);
  await of('a2:', 0.75);
  await of('a:1', 8, newId());
  expect(await uses(user, ofWorkflow(workflow_id, `?run_id=${run_id}`))).toEqual([
    { budget: 'node', node_label: 'a', amount_usd: 1, spent_usd: 0.875, state: 'warned' },
    { budget: 'node', node_label: 'a2', amount_usd: 0.5, spent_usd: 0.75, state: 'used_up' },
  ]);
  expect(await uses(user, ofWorkflow(workflow_id)), 'without a run').toEqual([]);
});

test('a run keeps the budgets of the version that it was started with', async () => {
  const user = await app.user();
  const withBudget = (maxCostUsd: number) =>
    graph(
      [
        ['start', 'textInput'],
        ['a', 'llm', { maxCostUsd }],
        ['out', 'output'],
      ],
      ['start>a', 'a>out'],
    );
  const workflow_id = await createWorkflow(user, withBudget(1));
  // The node has no credential; what its run has spent is stored by the test.
  await user.call('POST', `/api/workflows/${workflow_id}/execute`, { text: 'hi' });
  const { items } = (await user.call('GET', `/api/workflows/${workflow_id}/history`)).json<{
    items: { id: string }[];
  }>();
  const run_id = items[0]?.id ?? '';
  await spend(user, { workflow_id, run_id, execution_key: `${run_id}:a:`, usd: 0.875 });
  expect((await user.call('PUT', `/api/workflows/${workflow_id}`, withBudget(9))).statusCode).toBe(200);
  expect(await uses(user, ofWorkflow(workflow_id, `?run_id=${run_id}`))).toEqual([
    { budget: 'node', node_label: 'a', amount_usd: 1, spent_usd: 0.875, state: 'warned' },
  ]);
});

test('the budget of a person counts all of their calls of the day, and is theirs alone', async () => {
  const [user, other] = [await app.user(), await app.user()];
  expect(await uses(user, OWN)).toEqual([]);
  await user.call('PUT', '/api/auth/me', { daily_budget_usd: 1 });
  await spend(user, { usd: 0.5 });
  await spend(user, { workflow_id: await createWorkflow(user, PICKY), usd: 0.375 });
  await spend(user, { usd: 8, hours_ago: 25 });
  await spend(other, { usd: 8 });
  expect(await uses(user, OWN)).toEqual([
    { budget: 'user_day', node_label: null, amount_usd: 1, spent_usd: 0.875, state: 'warned' },
  ]);
  expect(await uses(other, OWN)).toEqual([]);
});

test('collaborators see the budget of the workflow, others do not', async () => {
  const [owner, reader] = [await app.user(), await app.user()];
  const workflow_id = await createWorkflow(owner, PICKY);
  await owner.call('PUT', `/api/workflows/${workflow_id}`, { daily_budget_usd: 1 });
  expect((await reader.call('GET', ofWorkflow(workflow_id))).statusCode).toBe(404);
  await owner.call('POST', `/api/workflows/${workflow_id}/shares`, { email: reader.email });
  expect(await uses(reader, ofWorkflow(workflow_id))).toMatchObject([
    { budget: 'workflow_day', spent_usd: 0 },
  ]);
  expect((await app.call('GET', OWN)).statusCode).toBe(401);
});
