import { describe, expect, test } from 'vitest';
import { clockCall } from '../testing/receive-node.ts';
import { receiveCron } from './receive.ts';

if (receiveCron.kind !== 'clock') throw new Error('cron is a clock');
const { next } = receiveCron;

/** Whether an expression fires in a minute, asked just before. */
const isDue = (expression: string, at_ms: number, zone: string) =>
  next(clockCall({ cronExpression: expression }, zone), at_ms - 1) === at_ms;

test.each([
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
])('§6.2: %s at %s in %s: %s', (expression, at, zone, due) => {
  expect(isDue(expression, Date.parse(at), zone)).toBe(due);
});

test.each(['not a schedule', '', '* * * * * *', '61 * * * *'])('"%s" is refused with a sentence', (text) => {
  expect(() => next(clockCall({ cronExpression: text }, 'UTC'), 0)).toThrow('five fields');
});

test('a date that never comes is never due', () => {
  expect(next(clockCall({ cronExpression: '0 0 31 2 *' }, 'UTC'), 0)).toBeUndefined();
});

describe('where the clocks change, a daily schedule', () => {
  const timesOn = (day: string, expression: string) => {
    const call = clockCall({ cronExpression: expression }, 'Europe/Berlin');
    const local = (at: number) => new Date(at).toLocaleDateString('sv', { timeZone: 'Europe/Berlin' });
    const times: number[] = [];
    for (let at = next(call, Date.parse(`${day}T00:00:00+02:00`) - 86_400_000); at; at = next(call, at)) {
      if (local(at) > day) break;
      if (local(at) === day) times.push(at);
    }
    return times;
  };
  test.each([
    ['2026-03-29', '30 2 * * *', 'whose time is left out'],
    ['2026-03-29', '30 3 * * *', 'behind the gap'],
    ['2026-10-25', '30 2 * * *', 'whose time comes twice'],
  ])('fires once on %s: %s, %s', (day, expression) => {
    expect(timesOn(day, expression)).toHaveLength(1);
  });
});
