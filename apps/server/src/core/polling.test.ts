import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startPolling } from './polling.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const EVERY_MS = 100;

/** Rounds that last until the test ends them. */
function rounds() {
  const state = { begun: 0, most: 0, errors: [] as unknown[] };
  const open: { end: () => void; fail: (error: unknown) => void; signal: AbortSignal }[] = [];
  const work = async (signal: AbortSignal) => {
    state.begun += 1;
    const over = new Promise<void>((end, fail) => open.push({ end, fail, signal }));
    state.most = Math.max(state.most, open.length);
    await over.finally(() => open.shift());
  };
  const onError = (error: unknown) => state.errors.push(error);
  return { state, open, polling: { every_ms: EVERY_MS, work, onError } };
}

const pass = (times: number) => vi.advanceTimersByTimeAsync(times * EVERY_MS);

test('a round begins after each interval, and at once only when asked', async () => {
  const { state, open, polling } = rounds();
  const stop = startPolling(polling);
  expect(state.begun).toBe(0);
  await pass(1);
  open[0]?.end();
  await pass(1);
  expect(state.begun).toBe(2);
  open[0]?.end();
  await stop();
  const eager = rounds();
  const stopEager = startPolling({ ...eager.polling, at_once: true });
  expect(eager.state.begun).toBe(1);
  eager.open[0]?.end();
  await stopEager();
});

test('rounds never overlap, however long one takes', async () => {
  const { state, open, polling } = rounds();
  const stop = startPolling(polling);
  await pass(10);
  expect(state).toMatchObject({ begun: 1, most: 1 });
  open[0]?.end();
  await pass(1);
  expect(state).toMatchObject({ begun: 2, most: 1 });
  open[0]?.end();
  await stop();
});

test('an error is reported and does not end the polling, however it is thrown', async () => {
  const { state, open, polling } = rounds();
  let isFirst = true;
  const work = (signal: AbortSignal) => {
    if (!isFirst) return polling.work(signal);
    isFirst = false;
    throw new Error('at once');
  };
  const stop = startPolling({ ...polling, work });
  await pass(1);
  await pass(1);
  open[0]?.fail(new Error('later'));
  await pass(1);
  expect(state.begun).toBe(2);
  expect(state.errors).toEqual([new Error('at once'), new Error('later')]);
  open[0]?.end();
  await stop();
});

test('stopping aborts the round under way, waits for it and begins no other', async () => {
  const { state, open, polling } = rounds();
  const stop = startPolling(polling);
  await pass(1);
  let isStopped = false;
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await pass(3);
  expect(open[0]?.signal.aborted).toBe(true);
  expect(isStopped).toBe(false);
  open[0]?.fail(new Error('aborted'));
  await stopped;
  await pass(3);
  expect(state).toMatchObject({ begun: 1, errors: [new Error('aborted')] });
});
