import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('§6.2: the output holds what was sent, without the fields that name the trigger', async () => {
  const run_input = {
    body: { a: 1 },
    headers: {},
    query: {},
    method: 'PUT',
    triggered_at: '2026-01-05T09:00:00.000Z',
  };
  expect(
    await runNode(
      'webhookTrigger',
      {},
      { run_input: { ...run_input, triggered_by: 'webhook', trigger_node_id: 'n' } },
    ),
  ).toEqual({ output: run_input });
});

test('a run that something else started has an empty output', async () => {
  expect(await runNode('webhookTrigger', {})).toEqual({ output: {} });
});
