import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('§6.2: the output holds what was delivered, without the fields that name the trigger', async () => {
  const run_input = { event: { a: 1 }, headers: {}, triggered_by: 'Slack', trigger_node_id: 'n' };
  expect(await runNode('slackTrigger', {}, { run_input })).toEqual({
    output: { event: { a: 1 }, headers: {} },
  });
});

test('a run that something else started has an empty output', async () => {
  expect(await runNode('slackTrigger', {})).toEqual({ output: {} });
});
