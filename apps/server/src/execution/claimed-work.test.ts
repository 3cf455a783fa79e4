import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { workOnClaims } from './claimed-work.ts';

const COUNT = 30;

function claimed(signal: AbortSignal, work: (claim: number) => Promise<void>, count = COUNT) {
  let next = 0;
  return workOnClaims({
    most_at_once: 2,
    look_every_ms: 60_000,
    claim: () => Promise.resolve(next < count ? next++ : undefined),
    work,
    signal,
  });
}

test('all claims are worked on, at most so many at once, and nothing is left that waits', async () => {
  const { signal } = new AbortController();
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await claimed(signal, async (claim) => {
    most = Math.max(most, (running += 1));
    await pause(1);
    running -= 1;
    done.push(claim);
  });
  expect(done.toSorted((one, other) => one - other)).toEqual(Array.from({ length: COUNT }, (_, at) => at));
  expect(most).toBe(2);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a signal ends the claiming, and what was claimed is finished', async () => {
  const stopping = new AbortController();
  const done: number[] = [];
  await claimed(stopping.signal, async (claim) => {
    if (claim === 3) stopping.abort();
    await pause(5);
    done.push(claim);
  });
  expect(done.toSorted()).toEqual([0, 1, 2, 3]);
});
