import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { memoryShare, watchPressure } from './pressure.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each(['delay', 'memory'] as const)('pressure is high when the %s is, several looks in a row', (what) => {
  const now = { delay: 1, memory: 0.2 };
  const pressure = watchPressure({ delay: () => now.delay, memory: () => now.memory });
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

test('buffers count as memory in use', () => {
  const limit = 1024 * 1024 * 1024;
  const before = memoryShare(limit);
  const held = Buffer.alloc(300 * 1024 * 1024, 1);
  const during = memoryShare(limit);
  expect(during - before).toBeGreaterThan(0.2);
  expect(held.length).toBeGreaterThan(0);
});
