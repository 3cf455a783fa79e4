import { expect, test } from 'vitest';
import { isByDay } from '../../ui/charts/time-buckets.ts';
import { toBuckets } from './buckets.ts';

const METRICS = {
  time_buckets: ['2026-11-01T00:00:00.000Z', '2026-11-01T06:00:00.000Z'],
  executions: [5, 0],
  successes: [3, 0],
  errors: [1, 0],
  avg_latency_ms: [12.5, null],
};

test('buckets end where the next one begins, and count what neither succeeded nor failed', () => {
  const [first, last] = toBuckets(METRICS);
  expect(first).toMatchObject({ runs: 5, succeeded: 3, failed: 1, other: 1, to: METRICS.time_buckets[1] });
  expect(last).toMatchObject({ runs: 0, other: 0, average_ms: null, to: '2026-11-01T12:00:00.000Z' });
  expect(isByDay(METRICS.time_buckets)).toBe(false);
});
