import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchPressure } from './pressure.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each(['delay', 'heap'] as const)('pressure is high when the %s is, several looks in a row', (what) => {
  const now = { delay: 1, heap: 0.2 };
  const pressure = watchPressure({ delay: () => now.delay, heap: () => now.heap });
  const high = what === 'delay' ? 900 : 0.95;
  now[what] = high;
  vi.advanceTimersByTime(1_500);
  expect(pressure.is_high).toBe(false);
  now[what] = 0.1;
  vi.advanceTimersByTime(500);
  now[what] = high;
  vi.advanceTimersByTime(1_500);
  expect(pressure.is_high).toBe(false);
  vi.advanceTimersByTime(500);
  expect(pressure.is_high).toBe(true);
  now[what] = 0.1;
  vi.advanceTimersByTime(500);
  expect(pressure.is_high).toBe(false);
  pressure.stop();
});
