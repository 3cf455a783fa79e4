import { expect, test } from 'vitest';
import { latestSlot } from './slots.ts';

const at = (iso: string, zone = 'UTC') => latestSlot('23:59', Date.parse(iso), zone);

test.each([
  ['2026-11-21T23:58:59Z', 'UTC', { day: '2026-11-20', age_minutes: 1439 }],
  ['2026-11-21T23:59:00Z', 'UTC', { day: '2026-11-21', age_minutes: 0 }],
  ['2026-11-22T00:10:00Z', 'UTC', { day: '2026-11-21', age_minutes: 11 }],
  ['2027-01-01T00:00:00Z', 'UTC', { day: '2026-12-31', age_minutes: 1 }],
  ['2026-11-21T22:59:00Z', 'Europe/Berlin', { day: '2026-11-21', age_minutes: 0 }],
  ['2026-07-21T21:59:30Z', 'Europe/Berlin', { day: '2026-07-21', age_minutes: 0 }],
  ['2026-11-22T04:59:00Z', 'America/New_York', { day: '2026-11-21', age_minutes: 0 }],
  ['2026-11-21T18:29:00Z', 'Asia/Kolkata', { day: '2026-11-21', age_minutes: 0 }],
])('§8.3: at %s in %s the slot is %j', (iso, zone, slot) => {
  expect(at(iso, zone)).toEqual(slot);
});

test('around a change of the clocks every day has exactly one slot', () => {
  for (const start of ['2026-03-28T12:00:00Z', '2026-10-24T12:00:00Z']) {
    const days = new Set<string>();
    for (let minute = 0; minute < 3 * 1440; minute++) {
      const slot = latestSlot('23:59', Date.parse(start) + minute * 60_000, 'Europe/Berlin');
      if (slot.age_minutes === 0) days.add(slot.day);
    }
    expect(days.size).toBe(3);
  }
});
