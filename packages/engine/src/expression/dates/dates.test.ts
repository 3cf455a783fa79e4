import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../units.ts';
import { addDays, addMonths, DateValue, isoText, parseDate } from './date-value.ts';
import { formatDate } from './format.ts';
import { parseByPattern } from './parse-pattern.ts';
import { countBetween, type DateUnit, findEnd, findStart, moveDate } from './periods.ts';
import { offsetAt, toInstant, wallClockAt } from './zone.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
];
const instant = fc.integer({ min: Date.UTC(1950, 0, 1), max: Date.UTC(2090, 0, 1) });
const zone = fc.constantFrom(...ZONES);
const UNITS: readonly DateUnit[] = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'];
const unit = fc.constantFrom(...UNITS);

function iso(date: DateValue | null): string | null {
  return date === null ? null : isoText(date);
}

describe('dates in zones', () => {
  it('reads back every instant that it writes', () => {
    fc.assert(
      fc.property(instant, zone, (ms, name) => {
        expect(parseDate(isoText(new DateValue(ms, name)), name)?.ms).toBe(ms);
      }),
      { numRuns: 500 },
    );
  });

  it('finds the instant of every wall clock, apart from hours that are there twice', () => {
    fc.assert(
      fc.property(instant, zone, (ms, name) => {
        const found = toInstant(wallClockAt(ms, name), name);
        const repeated = offsetAt(found, name) - offsetAt(ms, name);
        expect(ms - found).toBe(repeated);
        expect(wallClockAt(found, name)).toEqual(wallClockAt(ms, name));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the time of day when days are added, across clock changes', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: -400, max: 400 }), zone, (ms, days, name) => {
        const start = findStart(new DateValue(ms, name), 'day');
        const noon = new DateValue((start?.ms ?? 0) + DAY_MS / 2, name);
        const moved = addDays(noon, days);
        const { hour, minute } = wallClockAt(noon.ms, name);
        expect(wallClockAt(moved?.ms ?? 0, name)).toMatchObject({ hour, minute });
      }),
      { numRuns: 300 },
    );
  });

  it('never leaves the month that addMonths aims at', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: -600, max: 600 }), (ms, months) => {
        const from = wallClockAt(ms, 'UTC');
        const to = wallClockAt(addMonths(new DateValue(ms, 'UTC'), months)?.ms ?? 0, 'UTC');
        expect(to.year * 12 + to.month).toBe(from.year * 12 + from.month + months);
        expect(to.day).toBeLessThanOrEqual(from.day);
      }),
    );
  });

  it('has every date between the start and the end of its period, which meet those around it', () => {
    fc.assert(
      fc.property(instant, zone, unit, (ms, name, period) => {
        const date = new DateValue(ms, name);
        const [start, end] = [findStart(date, period), findEnd(date, period)];
        expect(start?.ms).toBeLessThanOrEqual(ms);
        expect(end?.ms).toBeGreaterThanOrEqual(ms);
        const next = new DateValue((end?.ms ?? 0) + 1, name);
        expect(findStart(next, period)?.ms).toBe(next.ms);
      }),
      { numRuns: 500 },
    );
  });

  it('counts the whole units by which a date was moved', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: -300, max: 300 }), zone, unit, (ms, count, name, period) => {
        // No month lacks the day, and no clock skips or repeats the time.
        const noon = moveDate(findStart(new DateValue(ms, name), 'month') as DateValue, {
          hour: 12,
        }) as DateValue;
        const moved = moveDate(noon, { [period]: count });
        expect(moved === null ? null : countBetween(noon, moved, period)).toBeCloseTo(count, 6);
      }),
      { numRuns: 500 },
    );
  });

  it('reads by a pattern what it writes with it', () => {
    const patterns = [
      'YYYY-MM-DD HH:mm:ss.SSS Z',
      'dddd, D MMMM YYYY h:mm:ss.SSS a ZZ',
      '[on] M/D/YYYY H:m:s.SSS Z',
    ];
    fc.assert(
      fc.property(instant, zone, fc.constantFrom(...patterns), (ms, name, pattern) => {
        const text = formatDate(ms, name, pattern);
        expect(parseByPattern(text, pattern, { zone: 'UTC', now: 0 })?.ms).toBe(ms);
      }),
      { numRuns: 500 },
    );
  });

  it('reads a pattern with many tokens in no time', () => {
    const started = Date.now();
    const pattern = 'YY M D H h m s A';
    expect(parseByPattern('1 '.repeat(90), pattern, { zone: 'UTC', now: 0 })).toBeNull();
    expect(parseByPattern('1'.repeat(20), 'M'.repeat(200), { zone: 'UTC', now: 0 })).toBeNull();
    expect(Date.now() - started).toBeLessThan(200);
  });

  it('writes offsets of quarter hours, of zones west of Greenwich and of summer time', () => {
    expect(iso(parseDate('2026-07-01', 'Asia/Kathmandu'))).toBe('2026-07-01T00:00:00+05:45');
    expect(iso(parseDate('2026-07-01', 'America/New_York'))).toBe('2026-07-01T00:00:00-04:00');
    expect(iso(parseDate('2026-01-01', 'America/New_York'))).toBe('2026-01-01T00:00:00-05:00');
  });

  it('moves a midnight that clocks skip to the first time there is', () => {
    // Brazil changed clocks at midnight: 4 November 2018 began at 01:00.
    expect(iso(parseDate('2018-11-04', 'America/Sao_Paulo'))).toBe('2018-11-04T01:00:00-02:00');
  });

  it('refuses what is no date', () => {
    const wrong = [
      '',
      'x',
      '2026-13-01',
      '2026-00-10',
      '2026-04-31',
      '2025-02-29',
      '2026-01-01T24:00',
      '2026-01-01T10:61',
      'x'.repeat(99),
    ];
    expect(wrong.map((text) => parseDate(text, 'UTC'))).toEqual(wrong.map(() => null));
    expect([null, true, [], {}, Number.NaN, 1e300].map((value) => parseDate(value, 'UTC'))).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('reads offsets in every form', () => {
    const forms = ['Z', 'z', '+02:00', '+0200', '+02', '-02:30'].map(
      (offset) => parseDate(`2026-01-01T10:00${offset}`, 'UTC')?.ms,
    );
    const ten = Date.UTC(2026, 0, 1, 10);
    expect(forms).toEqual([ten, ten, ten - 7_200_000, ten - 7_200_000, ten - 7_200_000, ten + 9_000_000]);
  });

  it('knows leap years', () => {
    expect(iso(parseDate('2000-02-29', 'UTC'))).toBe('2000-02-29T00:00:00+00:00');
    expect(parseDate('1900-02-29', 'UTC')).toBeNull();
  });

  it('keeps text in brackets out of a pattern', () => {
    expect(formatDate(0, 'UTC', '[Day] D [of] MMMM')).toBe('Day 1 of January');
  });
});
