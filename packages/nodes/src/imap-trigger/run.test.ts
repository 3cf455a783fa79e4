import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('§6.2: the output holds the mail and when it was found', async () => {
  const run_input = { email: { uid: 1 }, triggered_at: 'then', triggered_by: 'imap', trigger_node_id: 'n' };
  expect(await runNode('imapTrigger', {}, { run_input })).toEqual({
    output: { email: { uid: 1 }, triggered_at: 'then' },
  });
});

test('a run that something else started has an empty output', async () => {
  expect(await runNode('imapTrigger', {})).toEqual({ output: {} });
});
