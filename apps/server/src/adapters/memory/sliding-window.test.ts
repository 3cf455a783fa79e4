import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSlidingWindow } from './sliding-window.ts';

test('never lets more calls pass in any window than the limit, and refuses none that fits', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 4_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 6 }), (pauses, limit) => {
      const clock = { now: 1_000 };
      const window = createSlidingWindow(() => clock.now);
      const passed: number[] = [];
      for (const pause of pauses) {
        clock.now += pause;
        const inWindow = passed.filter((at) => at > clock.now - 10_000).length;
        const { allowed, remaining } = window.count('k', limit, 10);
        expect(allowed).toBe(inWindow < limit);
        if (allowed) passed.push(clock.now);
        expect(remaining).toBe(limit - inWindow - (allowed ? 1 : 0));
      }
    }),
  );
});

test('says when there is room again', () => {
  const clock = { now: 0 };
  const window = createSlidingWindow(() => clock.now);
  expect(window.count('k', 1, 10)).toEqual({ allowed: true, remaining: 0, reset_seconds: 10 });
  clock.now = 9_500;
  expect(window.count('k', 1, 10)).toEqual({ allowed: false, remaining: 0, reset_seconds: 1 });
  clock.now = 10_000;
  expect(window.count('k', 1, 10).allowed).toBe(true);
});

test('forgets by prefix', () => {
  const window = createSlidingWindow(() => 0);
  window.count('a:1', 1, 10);
  window.count('b:1', 1, 10);
  window.forget('a:');
  expect(window.count('a:1', 1, 10).allowed).toBe(true);
  expect(window.count('b:1', 1, 10).allowed).toBe(false);
});
