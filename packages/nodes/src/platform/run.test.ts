import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { catalog } from '../catalog.ts';
import type { PlatformReads, RunCount } from '../services.ts';
import { runNode, TEST_NOW } from '../testing/run-node.ts';

const workflow = {
  id: 'w1',
  name: 'Größe',
  description: null,
  active: true,
  updated_at: '2026-01-01T00:00:00.000Z',
};

async function run(data: JsonObject) {
  const asked: { limit?: number; count?: RunCount } = {};
  const platform: PlatformReads = {
    listWorkflows(limit) {
      asked.limit = limit;
      return Promise.resolve({ workflows: [{ ...workflow, folder_id: 'f1', node_count: 3 }], total: 812 });
    },
    workflow: (id) =>
      Promise.resolve(
        id === 'w1'
          ? {
              ...workflow,
              nodes: [{ id: 'n', type: 'textInput', label: 'start' }],
              edges: [],
              input_fields: [{ key: 'text' }],
            }
          : undefined,
      ),
    countRuns(count) {
      asked.count = count;
      return Promise.resolve(count.workflow_id === 'w1' ? { error: 3, success: 41 } : undefined);
    },
  };
  const result = await runNode('platform', data, {
    inputs: { loop: { item: { id: 'w1' } } },
    services: { platform },
  });
  return { result, asked };
}

test('exports name it heym', () => {
  expect(catalog.get('heym')?.type).toBe('platform');
});

test.each<[JsonObject, number]>([
  [{}, 100],
  [{ heymLimit: '' }, 100],
  [{ heymLimit: '7' }, 7],
  [{ heymLimit: 0 }, 500],
  [{ heymLimit: '9999' }, 500],
])('%o lists at most %i workflows and counts all', async (data, limit) => {
  const { result, asked } = await run(data);
  expect(asked.limit).toBe(limit);
  expect(result).toEqual({
    output: { workflows: [{ ...workflow, folder_id: 'f1', node_count: 3 }], total: 812 },
  });
});

test('a workflow is told with its shape', async () => {
  const { result } = await run({ heymOperation: 'getWorkflow', heymWorkflowId: '$loop.item.id' });
  expect(result).toEqual({
    output: {
      ...workflow,
      nodes: [{ id: 'n', type: 'textInput', label: 'start' }],
      edges: [],
      input_fields: [{ key: 'text' }],
    },
  });
});

test('runs are counted by status, of the last days when they are given', async () => {
  const count = { heymOperation: 'countExecutions', heymWorkflowId: 'w1' };
  const all = await run(count);
  expect(all.asked.count).toEqual({ workflow_id: 'w1' });
  expect(all.result).toEqual({
    output: { workflow_id: 'w1', total: 44, by_status: { error: 3, success: 41 }, since: null },
  });
  const some = await run({ ...count, heymStatus: 'error', heymSinceDays: '1.5' });
  const since_ms = TEST_NOW - 1.5 * 86_400_000;
  expect(some.asked.count).toEqual({ workflow_id: 'w1', status: 'error', since_ms });
  expect(some.result).toMatchObject({ output: { since: new Date(since_ms).toISOString() } });
});

test.each<[JsonObject, string]>([
  [{ heymOperation: 'getWorkflow' }, 'heymWorkflowId'],
  [{ heymOperation: 'getWorkflow', heymWorkflowId: 'other' }, 'heymWorkflowId'],
  [{ heymOperation: 'countExecutions', heymWorkflowId: 'other' }, 'heymWorkflowId'],
  [{ heymOperation: 'countExecutions', heymWorkflowId: 'w1', heymSinceDays: 'week' }, 'heymSinceDays'],
  [{ heymLimit: 'many' }, 'heymLimit'],
  [{ heymOperation: 'deleteWorkflow' }, 'heymOperation'],
])('%o fails and names %s', async (data, field) => {
  expect((await run(data)).result).toMatchObject({ failure: { kind: 'params', field } });
});
