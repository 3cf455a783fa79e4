import { describe, expect, test } from 'vitest';
import { isDue } from './due.ts';

const CASES: readonly (readonly [string, string, string, boolean])[] = [
  ['* * * * *', '2026-11-21T10:15:00Z', 'UTC', true],
  ['*/5 9-17 * * 1-5', '2026-11-20T09:05:00Z', 'UTC', true],
  ['*/5 9-17 * * 1-5', '2026-11-21T09:05:00Z', 'UTC', false],
  ['*/5 9-17 * * 1-5', '2026-11-20T09:06:00Z', 'UTC', false],
  ['0 7 * * MON', '2026-11-23T07:00:00Z', 'UTC', true],
  ['0 0 29 2 *', '2028-02-29T00:00:00Z', 'UTC', true],
  ['0 9 * * *', '2026-07-01T07:00:00Z', 'Europe/Berlin', true],
  ['0 9 * * *', '2026-12-01T07:00:00Z', 'Europe/Berlin', false],
  ['0 9 * * *', '2026-12-01T08:00:00Z', 'Europe/Berlin', true],
  ['30 5 * * *', '2026-01-01T00:00:00Z', 'Asia/Kolkata', true],
  ['not a schedule', '2026-11-21T10:15:00Z', 'UTC', false],
  ['', '2026-11-21T10:15:00Z', 'UTC', false],
  // Six fields would have seconds, which the scheduler does not look at.
  ['* * * * * *', '2026-11-21T10:15:00Z', 'UTC', false],
];

test.each(CASES)('%s at %s in %s: %s', (expression, at, zone, due) => {
  expect(isDue(expression, Date.parse(at), zone)).toBe(due);
});

describe('where the clocks change, a daily schedule', () => {
  const firesOn = (day: string, expression: string) => {
    const from = Date.parse(`${day}T00:00:00+02:00`);
    return Array.from({ length: 26 * 60 }, (_, minute) => from + minute * 60_000).filter(
      (minute_ms) =>
        isDue(expression, minute_ms, 'Europe/Berlin') &&
        new Date(minute_ms).toLocaleDateString('sv', { timeZone: 'Europe/Berlin' }) === day,
    ).length;
  };
  test.each([
    ['2026-03-29', '30 2 * * *', 'whose time is left out'],
    ['2026-03-29', '30 3 * * *', 'behind the gap'],
    ['2026-10-25', '30 2 * * *', 'whose time comes twice'],
  ])('fires once on %s: %s, %s', (day, expression) => {
    expect(firesOn(day, expression)).toBe(1);
  });
});
