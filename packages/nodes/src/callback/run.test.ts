import { expect, test } from 'vitest';
import { runNode, TEST_NOW, traceNode } from '../testing/run-node.ts';

const called = { method: 'POST', body: { ok: true }, query: {}, headers: {} };

test('the call becomes the output at the side "called"', async () => {
  const decisions = { call: { decision: 'called', data: called } };
  expect(await runNode('callback', { timeoutSeconds: 5 }, { decisions })).toEqual({
    output: called,
    ports: ['called'],
  });
});

test('without a call in time the node continues at "timed_out"', async () => {
  expect(await runNode('callback', { timeoutSeconds: '5' })).toEqual({
    output: { timed_out: true },
    ports: ['timed_out'],
  });
});

test('the node waits for one call to its own address until its time is up', async () => {
  const data = { timeoutSeconds: 90, title: 'Order $start.id', message: 'Confirm it' };
  const { result, trace } = await traceNode('callback', data, {
    decisions: 'none',
    inputs: { start: { id: 7 } },
  });
  const payload = {
    url: 'https://test/callbacks/call',
    expires_at: new Date(TEST_NOW + 90_000).toISOString(),
    title: 'Order 7',
    message: 'Confirm it',
  };
  expect(result).toEqual({
    suspension: { key: 'call', kind: 'callback', due_at: TEST_NOW + 90_000, payload },
  });
  expect(trace.waits).toMatchObject([{ key: 'call', has_address: true, decisions: ['called'] }]);
});

test.each([0, -1, 'soon', 1e9])('a timeout of %j is refused', async (timeoutSeconds) => {
  expect(await runNode('callback', { timeoutSeconds })).toMatchObject({
    failure: { kind: 'params', field: 'timeoutSeconds' },
  });
});
