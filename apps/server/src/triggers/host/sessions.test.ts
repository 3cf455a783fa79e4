import { expect, test } from 'vitest';
import { withinTime } from './sessions.ts';

test('a wait ends with the work, and with the time when the work does not end', async () => {
  const began = performance.now();
  await withinTime(Promise.resolve(), 60_000);
  expect(performance.now() - began).toBeLessThan(30_000);
  await withinTime(new Promise(() => {}), 20);
  expect(performance.now() - began).toBeGreaterThanOrEqual(15);
});
