import { expect, test } from 'vitest';
import { runNode, TEST_NOW, traceNode } from '../testing/run-node.ts';

test('the input is passed on after the time', async () => {
  const { result, trace } = await traceNode('wait', { duration: 250 }, { inputs: { start: { a: 1 } } });
  expect(result).toEqual({ output: { a: 1 } });
  expect(trace.slept_until).toEqual([TEST_NOW + 250]);
});

test('after a restart only the rest of the time is waited for', async () => {
  const { trace } = await traceNode('wait', { duration: '5000' }, { started_at_ms: TEST_NOW - 4000 });
  expect(trace.slept_until).toEqual([TEST_NOW + 1000]);
});

test('an input that is no object is passed on as value', async () => {
  expect(await runNode('wait', { duration: 0 }, { inputs: { start: 'text' } })).toEqual({
    output: { value: 'text' },
  });
});

test('a pause of more than a minute is a wait that the clock decides', async () => {
  const { result, trace } = await traceNode('wait', { duration: 60_001 }, { decisions: 'none' });
  expect(result).toMatchObject({
    suspension: { kind: 'timer', due_at: TEST_NOW + 60_001, payload: { waits_until: expect.any(String) } },
  });
  expect(trace.slept_until).toEqual([]);
  const inputs = { start: { a: 1 } };
  expect(await runNode('wait', { duration: 60_001 }, { inputs })).toEqual({ output: { a: 1 } });
});

test('cancelling the run ends the wait', async () => {
  const controller = new AbortController();
  const sleepUntil = (_epoch_ms: number, signal: AbortSignal) =>
    new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const waiting = runNode(
    'wait',
    { duration: 60_000 },
    { signal: controller.signal, services: { sleepUntil } },
  );
  controller.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
});

test('a duration of null is the default', async () => {
  const { trace } = await traceNode('wait', { duration: null });
  expect(trace.slept_until).toEqual([TEST_NOW + 1000]);
});

test.each([-1, 'soon', 1e12, true])('a duration of %j is refused', async (duration) => {
  const { result, trace } = await traceNode('wait', { duration });
  expect(result).toMatchObject({ failure: { kind: 'params', field: 'duration' } });
  expect(trace.slept_until).toEqual([]);
});
