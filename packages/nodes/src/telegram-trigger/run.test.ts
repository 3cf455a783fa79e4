import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('§6.2: the output holds what was delivered, without the fields that name the trigger', async () => {
  const run_input = {
    update: { update_id: 1 },
    message: {},
    headers: { a: 'b' },
    triggered_by: 'telegram',
    trigger_node_id: 'n',
  };
  expect(await runNode('telegramTrigger', {}, { run_input })).toEqual({
    output: { update: { update_id: 1 }, message: {}, headers: { a: 'b' } },
  });
});

test('a run that something else started has an empty output', async () => {
  expect(await runNode('telegramTrigger', {})).toEqual({ output: {} });
});
