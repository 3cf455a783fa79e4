import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { workInPool } from './work-in-pool.ts';

const COUNT = 30;

function taken(signal: AbortSignal, work: (item: number) => Promise<void>, count = COUNT) {
  let next = 0;
  return workInPool({
    most_at_once: 2,
    look_every_ms: 60_000,
    next: () => Promise.resolve(next < count ? next++ : undefined),
    work,
    signal,
  });
}

test('all items are worked on, at most so many at once, and nothing is left that waits', async () => {
  const { signal } = new AbortController();
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await taken(signal, async (item) => {
    most = Math.max(most, (running += 1));
    await pause(1);
    running -= 1;
    done.push(item);
  });
  expect(done.toSorted((one, other) => one - other)).toEqual(Array.from({ length: COUNT }, (_, at) => at));
  expect(most).toBe(2);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('after a signal no more items are taken, and those that were are finished', async () => {
  const stopping = new AbortController();
  const done: number[] = [];
  await taken(stopping.signal, async (item) => {
    if (item === 3) stopping.abort();
    await pause(5);
    done.push(item);
  });
  expect(done.toSorted()).toEqual([0, 1, 2, 3]);
});
