import { expect, test } from 'vitest';
import { FailurePauses } from './failure-pauses.ts';

const trigger = { id: 'a', epoch: 1 };

test('each failure in a row doubles the pause, up to a minute', () => {
  const pauses = new FailurePauses();
  const lengths: number[] = [];
  let now_ms = 0;
  for (let failures = 0; failures < 8; failures++) {
    pauses.begin(trigger, now_ms);
    const began_ms = now_ms;
    while (!pauses.isOver(trigger, now_ms)) now_ms += 1_000;
    lengths.push((now_ms - began_ms) / 1_000);
  }
  expect(lengths).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
});

test('a success, a change of the trigger and a clock that was set back end it', () => {
  const pauses = new FailurePauses();
  pauses.begin(trigger, 100_000);
  expect(pauses.isOver(trigger, 100_001)).toBe(false);
  expect(pauses.isOver({ id: 'b', epoch: 1 }, 100_001)).toBe(true);
  expect(pauses.isOver({ id: 'a', epoch: 2 }, 100_001)).toBe(true);
  expect(pauses.isOver(trigger, 0)).toBe(true);
  pauses.end(trigger);
  expect(pauses.isOver(trigger, 100_001)).toBe(true);
});

test('what failed here long ago is forgotten', () => {
  const pauses = new FailurePauses();
  pauses.begin(trigger, 0);
  pauses.begin({ id: 'b', epoch: 1 }, 10_000);
  expect(pauses.size).toBe(2);
  pauses.begin({ id: 'c', epoch: 1 }, 100_000);
  expect(pauses.size).toBe(1);
});
