import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('§6.2: the output holds what was delivered, without the fields that name the trigger', async () => {
  const run_input = {
    interaction: { id: '1' },
    type: 2,
    data: {},
    headers: {},
    triggered_by: 'Discord',
    trigger_node_id: 'n',
  };
  expect(await runNode('discordTrigger', {}, { run_input })).toEqual({
    output: { interaction: { id: '1' }, type: 2, data: {}, headers: {} },
  });
});

test('a run that something else started has an empty output', async () => {
  expect(await runNode('discordTrigger', {})).toEqual({ output: {} });
});
