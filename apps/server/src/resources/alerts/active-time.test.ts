import { describe, expect, test } from 'vitest';
import { type ActiveTime, activeBetween, formatTime, isActive, parseMinutes } from './active-time.ts';

const HOUR_MS = 3_600_000;
const WORKDAYS: ActiveTime = {
  days: [1, 2, 3, 4, 5],
  from_minute: 0,
  until_minute: 1440,
  zone: 'Europe/Berlin',
};
const OFFICE: ActiveTime = { ...WORKDAYS, from_minute: 9 * 60, until_minute: 17 * 60 };
const hours = (time: ActiveTime, from: string, to: string, most = 1_000) =>
  activeBetween(time, { from_ms: Date.parse(from), to_ms: Date.parse(to), most_ms: most * HOUR_MS }) /
  HOUR_MS;

describe('isActive', () => {
  // 2026-11-20 is a Friday; Berlin is an hour ahead of UTC.
  test.each([
    ['2026-11-20T22:59:59Z', WORKDAYS, true],
    ['2026-11-20T23:00:00Z', WORKDAYS, false],
    ['2026-11-22T22:59:59Z', WORKDAYS, false],
    ['2026-11-22T23:00:00Z', WORKDAYS, true],
    ['2026-11-20T07:59:59Z', OFFICE, false],
    ['2026-11-20T08:00:00Z', OFFICE, true],
    ['2026-11-20T16:00:00Z', OFFICE, false],
  ])('%s', (at, time, active) => {
    expect(isActive(time, Date.parse(at))).toBe(active);
  });
});

describe('activeBetween', () => {
  test.each([
    {
      what: 'within a day',
      time: WORKDAYS,
      from: '2026-11-20T08:00:00Z',
      to: '2026-11-20T10:30:00Z',
      expected: 2.5,
    },
    {
      what: 'a weekend counts nothing',
      time: WORKDAYS,
      from: '2026-11-20T22:00:00Z',
      to: '2026-11-23T00:00:00Z',
      expected: 2,
    },
    {
      what: 'office hours only',
      time: OFFICE,
      from: '2026-11-19T12:00:00Z',
      to: '2026-11-20T09:00:00Z',
      expected: 5,
    },
    {
      what: 'clocks go back: 25 hours',
      time: { ...WORKDAYS, days: [7] },
      from: '2026-10-24T12:00:00Z',
      to: '2026-10-26T12:00:00Z',
      expected: 25,
    },
    {
      what: 'clocks go forward: 23 hours',
      time: { ...WORKDAYS, days: [7] },
      from: '2026-03-28T12:00:00Z',
      to: '2026-03-30T12:00:00Z',
      expected: 23,
    },
    {
      what: 'no time',
      time: WORKDAYS,
      from: '2026-11-20T10:00:00Z',
      to: '2026-11-20T10:00:00Z',
      expected: 0,
    },
  ])('$what', ({ time, from, to, expected }) => {
    expect(hours(time, from, to)).toBe(expected);
  });

  test('is counted no further than was asked for', () => {
    expect(hours(WORKDAYS, '2020-01-01T00:00:00Z', '2026-11-20T10:00:00Z', 2)).toBe(2);
  });
});

test.each([
  ['00:00', 0],
  ['09:30', 570],
  ['24:00', 1440],
])('%s as minutes and back', (time, minute) => {
  expect([parseMinutes(time), formatTime(minute)]).toEqual([minute, time]);
});
