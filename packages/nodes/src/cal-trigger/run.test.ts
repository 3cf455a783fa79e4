import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('§6.2: the output holds what was delivered, with the name of the event as the sender writes it', async () => {
  const event = { triggerEvent: 'BOOKING_CREATED', payload: { uid: 'b1' } };
  const run_input = {
    event,
    trigger_event: 'BOOKING_CREATED',
    payload: event.payload,
    headers: {},
    triggered_by: 'Cal.com',
    trigger_node_id: 'n',
    triggered_at: '2026-01-02T03:04:05.000Z',
  };
  expect(await runNode('calTrigger', {}, { run_input })).toEqual({
    output: {
      event,
      triggerEvent: 'BOOKING_CREATED',
      payload: { uid: 'b1' },
      headers: {},
      triggered_at: '2026-01-02T03:04:05.000Z',
    },
  });
});

test('a run that something else started has an empty output', async () => {
  expect(await runNode('calTrigger', {})).toEqual({ output: {} });
});
