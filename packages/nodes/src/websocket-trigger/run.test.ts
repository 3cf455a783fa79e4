import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('§6.2: the output has the fields of the event; those that it does not have are null', async () => {
  const run_input = {
    eventName: 'onConnected',
    url: 'ws://example.com/',
    connection: { reconnected: false, subprotocol: null },
    triggered_at: 'then',
    triggered_by: 'websocket',
    trigger_node_id: 'n',
  };
  const { triggered_by: _, trigger_node_id: __, ...fields } = run_input;
  expect(await runNode('websocketTrigger', { websocketUrl: 'ws://example.com/' }, { run_input })).toEqual({
    output: { ...fields, message: null, close: null },
  });
});

test('a run that something else started has an empty output', async () => {
  expect(await runNode('websocketTrigger', { websocketUrl: 'ws://example.com/' })).toEqual({ output: {} });
});
