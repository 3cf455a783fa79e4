import { expect, test } from 'vitest';
import { runNode, traceNode } from '../testing/run-node.ts';

test('every node with the label is disabled, in this run and in the stored workflow', async () => {
  const labels = { target: ['id-1', 'id-2'] };
  const { result, trace } = await traceNode('disableNode', { targetNodeLabel: 'target' }, { labels });
  expect(result).toEqual({ output: { targetNode: 'target', disabled: true }, disables: ['id-1', 'id-2'] });
  expect(trace.disabled).toEqual(['target']);
});

test.each([
  [{ targetNodeLabel: '' }, 'Choose the node'],
  [{}, 'Choose the node'],
  [{ targetNodeLabel: 'unknown' }, '"unknown"'],
])('%j is an error', async (data, message) => {
  expect(await runNode('disableNode', data)).toMatchObject({
    failure: { kind: 'params', field: 'targetNodeLabel', message: expect.stringContaining(message) },
  });
});
