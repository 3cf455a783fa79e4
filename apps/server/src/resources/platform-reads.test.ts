import { expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../testing/test-app.ts';
import { createWorkflow, ECHO, executeUrl, graph } from './executions/testing/workflows.ts';

const app = await useTestApp();
const owner = await app.user();
const other = await app.user();

/** Runs a workflow that reads the service, as exports of other products name the node, and answers what it read. */
async function read(user: TestUser, heymOperation: string, data: Record<string, string> = {}) {
  const id = await createWorkflow(
    user,
    graph(
      [
        ['start', 'textInput'],
        ['read', 'heym', { heymOperation, ...data }],
        ['out', 'output', { message: '$read' }],
      ],
      ['start>read', 'read>out'],
    ),
  );
  const answer = await app.call('POST', executeUrl(id), {});
  return answer.json<{ status: string; outputs: { out?: { result: never } } }>();
}

const idsIn = async (user: TestUser) => {
  const { outputs } = await read(user, 'listWorkflows', { heymLimit: '500' });
  const { workflows, total } = (outputs.out?.result ?? {}) as unknown as {
    workflows: { id: string; node_count: number }[];
    total: number;
  };
  return { ids: workflows.map(({ id }) => id), total, workflows };
};

test('workflows are listed as the person of the run sees them, also those that are shared (§5.8)', async () => {
  const own = await createWorkflow(owner, ECHO);
  const foreign = await createWorkflow(other, ECHO);
  const before = await idsIn(owner);
  expect(before.ids).toContain(own);
  expect(before.ids).not.toContain(foreign);
  expect(before.total).toBe(before.ids.length);
  expect(before.workflows.find(({ id }) => id === own)).toMatchObject({
    name: 'Test workflow',
    active: true,
    folder_id: null,
    node_count: 3,
  });
  const shared = await other.call('POST', `/api/workflows/${foreign}/shares`, { email: owner.email });
  expect(shared.statusCode).toBeLessThan(300);
  expect((await idsIn(owner)).ids).toContain(foreign);
});

test('a workflow is told with its shape and without the settings of its nodes', async () => {
  const own = await createWorkflow(owner, ECHO);
  const { outputs } = await read(owner, 'getWorkflow', { heymWorkflowId: own });
  expect(outputs.out?.result).toMatchObject({
    id: own,
    nodes: [
      { id: 'start', type: 'textInput', label: 'start' },
      { id: 'shape', type: 'set', label: 'shape' },
      { id: 'out', type: 'output', label: 'out' },
    ],
    edges: [
      { source: 'start', target: 'shape' },
      { source: 'shape', target: 'out' },
    ],
    input_fields: expect.any(Array),
  });
  expect(JSON.stringify(outputs)).not.toContain('mappings');
});

test('runs are counted by status and period', async () => {
  const own = await createWorkflow(
    owner,
    graph(
      [
        ['start', 'textInput'],
        ['stop', 'throwError', { errorMessage: '$start.body.text' }],
      ],
      ['start>stop'],
    ),
  );
  const fine = await createWorkflow(owner, ECHO);
  await app.call('POST', executeUrl(own), { text: 'no' });
  for (let run = 0; run < 3; run++) await app.call('POST', executeUrl(fine), { text: 'yes' });
  const count = async (id: string, more = {}) =>
    (await read(owner, 'countExecutions', { heymWorkflowId: id, ...more })).outputs.out?.result;
  expect(await count(own)).toEqual({ workflow_id: own, total: 1, by_status: { error: 1 }, since: null });
  expect(await count(fine)).toMatchObject({ total: 3, by_status: { success: 3 } });
  expect(await count(fine, { heymSinceDays: '1' })).toMatchObject({ total: 3, since: expect.any(String) });
  expect(await count(fine, { heymStatus: 'error' })).toMatchObject({ total: 0, by_status: {} });
});

test.each(['getWorkflow', 'countExecutions'])(
  '%s of what others have and of what does not exist fails alike',
  async (operation) => {
    const foreign = await createWorkflow(other, ECHO);
    const failures = [];
    for (const id of [foreign, '00000000-0000-4000-8000-000000000000', 'none']) {
      const { status, outputs } = await read(owner, operation, { heymWorkflowId: id });
      expect(status).toBe('error');
      failures.push(JSON.stringify(outputs).replaceAll(id, 'ID'));
    }
    expect(failures[0]).toContain('does not exist or is not shared with you');
    expect(new Set(failures).size).toBe(1);
  },
);
