import type { ScheduleEvent } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import {
  computePeriod,
  dateText,
  dayAt,
  entriesByDay,
  listDays,
  parseDate,
  pickStatus,
  stepped,
  VIEWS,
} from './calendar.ts';

const day = (text: string) => parseDate(text) ?? new Date(Number.NaN);
const event = (at: Date, part: Partial<ScheduleEvent> = {}): ScheduleEvent => ({
  workflow_id: 'w',
  workflow_name: 'Nightly',
  description: null,
  node_id: 'clock',
  scheduled_at: at.toISOString(),
  run_id: null,
  status: null,
  is_planned: true,
  ...part,
});

test.each([
  ['day', '2026-11-22', '2026-11-22', '2026-11-22'],
  ['week', '2026-11-22', '2026-11-16', '2026-11-22'],
  ['week', '2026-11-23', '2026-11-23', '2026-11-29'],
  ['month', '2026-11-22', '2026-10-26', '2026-12-06'],
  ['month', '2027-02-10', '2027-02-01', '2027-02-28'],
] as const)('the %s around %s is from %s to %s', (view, date, first, last) => {
  const { start, end } = computePeriod(view, day(date));
  expect([dateText(start), dateText(dayAt(end, -1))]).toEqual([first, last]);
});

test.each([
  ['day', '2026-12-31', '2027-01-01', '2026-12-30'],
  ['week', '2026-12-31', '2027-01-07', '2026-12-24'],
  ['month', '2026-12-31', '2027-01-01', '2026-11-01'],
] as const)('a %s further than %s', (view, date, next, former) => {
  expect(dateText(stepped(view, day(date), 1))).toBe(next);
  expect(dateText(stepped(view, day(date), -1))).toBe(former);
});

test('each view has each of its days once, in any month of some years', () => {
  for (let month = 0; month < 36; month++)
    for (const view of VIEWS) {
      const days = listDays(computePeriod(view, new Date(2026, month, 15))).map(dateText);
      expect(new Set(days).size).toBe(days.length);
      expect(days.length % (view === 'day' ? 1 : 7)).toBe(0);
    }
});

test.each(['', 'today', '2026-02-30', '2026-13-01', '2026-1-1'])('"%s" is no date', (text) => {
  expect(parseDate(text)).toBeUndefined();
});

describe('entries of days', () => {
  const nine = new Date(2026, 10, 22, 9);
  const late = new Date(2026, 10, 22, 23, 59);
  const next = new Date(2026, 10, 23, 0, 0);

  test('times of one schedule on one day are one entry', () => {
    const days = entriesByDay([event(nine), event(nine, { node_id: 'other' }), event(late), event(next)]);
    expect([...days.keys()]).toEqual(['2026-11-22', '2026-11-23']);
    expect(days.get('2026-11-22')?.map(({ events }) => events.length)).toEqual([2, 1]);
  });

  test.each([
    [['success', 'error', 'running'], 'error'],
    [['success', 'running', null], 'running'],
    [['success', null], 'success'],
    [[null], undefined],
  ] as const)('of %j the entry shows %s', (statuses, shown) => {
    expect(pickStatus(statuses.map((status) => event(nine, { status })))).toBe(shown);
  });
});
