import { describe, expect, test } from 'vitest';
import { clockCall } from '../testing/receive-node.ts';
import { cron } from './definition.ts';
import { receiveCron } from './receive.ts';

if (receiveCron.kind !== 'clock') throw new Error('cron is a clock');
const { next } = receiveCron;

/** A schedule with these settings and the defaults of the form. */
const scheduled = (settings: object, zone = 'UTC') => clockCall(cron.params.parse(settings), zone);

/** The first due times after a moment. */
function timesAfter(settings: object, from: string, count: number): (string | undefined)[] {
  const call = scheduled(settings);
  const times: (string | undefined)[] = [];
  for (let at = next(call, Date.parse(from)); times.length < count; at = at && next(call, at))
    times.push(at === undefined ? undefined : new Date(at).toISOString().replace('.000Z', 'Z'));
  return times;
}

/** Whether an expression fires in a minute, asked just before. */
const isDue = (expression: string, at_ms: number, zone: string) =>
  next(scheduled({ cronExpression: expression }, zone), at_ms - 1) === at_ms;

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

const ITEMS =
  '0 00 05 5 7 13 32 60 -1 * ? ** *5 5* *-5 *,5 ?,1 1,2 1,,2 ,1 1, 1-5 5-1 1-1 0-7 5-7 6-0 1-5,7 1-5-7 1--2 1- -5 ' +
  '*/0 */1 */5 */05 */7 */8 */12 */13 */24 */25 */31 */32 */60 */61 ?/5 /5 / */ 5/ 5/15 5/0 1-5/2 1-5/0 1-31/31 1/2/3 ' +
  'L l LW lw LL L-3 L/2 *L L,15 15W 1W,15W 15w W 0W 32W 1-15W 15/2W JAN jan-mar FEB-1 JAN/2 JANUARY JUL JUN-JUL 1-DEC ' +
  'MON mon-fri FRI-MON SUN-SAT SAT-SUN FRI-7 3-SUN 0-SUN SUN-7 SUN-SUN SUN,MON MONDAYS MONDAY MON/2 MON-FRI/2 FOO ' +
  '1#2 1#6 1#0 #2 *#2 MON#2 MON-FRI#2 1-3#2 7#1 5L 5#L 5#l MON#L 1-5L 1/2#1';

test('an expression is accepted exactly when it can be a schedule, whichever field an item stands in', () => {
  const isAccepted = (cronExpression: string) => cron.params.safeParse({ cronExpression }).success;
  const isSchedule = (cronExpression: string): boolean => {
    try {
      next(clockCall({ ...cron.params.parse({}), cronExpression }, 'UTC'), 0);
      return true;
    } catch {
      return false;
    }
  };
  const expressions = ITEMS.split(' ').flatMap((item) =>
    [0, 1, 2, 3, 4, 5].map((at) => ['*', '*', '*', '*', '*', '*'].with(at, item).join(' ')),
  );
  expect(expressions.filter(isAccepted)).toEqual(expressions.filter(isSchedule));
});

test('§6.2: a step from a value repeats until the end of the field, as in other services', () => {
  expect(timesAfter({ cronExpression: '5/25 * * * *' }, '2026-01-01T00:00:00Z', 3)).toEqual([
    '2026-01-01T00:05:00Z',
    '2026-01-01T00:30:00Z',
    '2026-01-01T00:55:00Z',
  ]);
});

test.each([
  ['not a schedule'],
  [''],
  ['* * * * * * *'],
  ['61 * * * *'],
  ['0 9 * * *\n61 * * * *'],
  ['0 9 * * *\n* * *'],
])('"%s" is refused with a sentence', (text) => {
  const call = clockCall({ ...cron.params.parse({}), cronExpression: text }, 'UTC');
  expect(() => next(call, 0)).toThrow('five fields');
});

describe('the settings of a schedule', () => {
  test.each([
    [
      'seconds may come first',
      { cronExpression: '*/20 * * * * *' },
      ['2026-11-22T00:00:20Z', '2026-11-22T00:00:40Z', '2026-11-22T00:01:00Z'],
    ],
    [
      'each line is an expression; a time of both is due once',
      { cronExpression: '0 9 * * *\n0 9,12 * * SUN\n' },
      ['2026-11-22T09:00:00Z', '2026-11-22T12:00:00Z', '2026-11-23T09:00:00Z'],
    ],
    [
      "the node's time zone comes before that of the service",
      { cronExpression: '0 9 * * *', timeZone: 'Asia/Tokyo' },
      ['2026-11-23T00:00:00Z', '2026-11-24T00:00:00Z'],
    ],
    [
      'a period, in the time zone of the schedule',
      {
        cronExpression: '0 * * * *',
        timeZone: 'Europe/Berlin',
        startsAt: '2026-12-01',
        endsAt: '2026-12-01T01:30',
      },
      ['2026-11-30T23:00:00Z', '2026-12-01T00:00:00Z', undefined],
    ],
    [
      'a period with offsets',
      {
        cronExpression: '30 * * * *',
        startsAt: '2026-12-01T00:00:00+02:00',
        endsAt: '2026-11-30T23:30:00Z',
      },
      ['2026-11-30T22:30:00Z', '2026-11-30T23:30:00Z', undefined],
    ],
    [
      'an interval counts from the start of the period',
      { scheduleMode: 'interval', intervalValue: 45, intervalUnit: 'minutes', startsAt: '2026-11-22T10:10Z' },
      ['2026-11-22T10:10:00Z', '2026-11-22T10:55:00Z', '2026-11-22T11:40:00Z'],
    ],
    [
      'an interval without one counts from 1970',
      { scheduleMode: 'interval', intervalValue: '2', intervalUnit: 'days' },
      ['2026-11-23T00:00:00Z', '2026-11-25T00:00:00Z'],
    ],
  ])('%s', (_name, settings, times) => {
    expect(timesAfter(settings, '2026-11-22T00:00:00Z', times.length)).toEqual(times);
  });

  test.each([
    [{ timeZone: 'Berlin' }, 'Europe/Berlin'],
    [{ startsAt: 'tomorrow' }, '2026-12-01'],
    [{ endsAt: '2026-13-01' }, '2026-12-01'],
    [{ intervalValue: 0 }, '1'],
    [{ jitterSeconds: -1 }, '0'],
    [{ misfireGraceMinutes: 100_000 }, '1440'],
  ])('%j is refused with the way to write it', (settings, hint) => {
    expect(cron.params.safeParse(settings).error?.issues[0]?.message).toContain(hint);
  });

  test.each([
    ['* * * * *', 3600],
    ['*/5 * * * *', 120],
    ['*/10 * * * * *', 30],
  ])(
    'random delays of %s keep the order, stay below the limit and are the same in every process',
    (cronExpression, jitterSeconds) => {
      const from = Date.parse('2026-11-22T00:00:00Z');
      const plain = scheduled({ cronExpression });
      const late = scheduled({ cronExpression, jitterSeconds });
      const delays = new Set<number>();
      for (let at = next(plain, from) ?? 0, count = 0; count < 50; at = next(plain, at) ?? 0, count++) {
        const due = next(late, at - 1) ?? 0;
        expect(due).toBeGreaterThanOrEqual(at);
        expect(due).toBeLessThan(next(plain, at) ?? 0);
        expect(due - at).toBeLessThanOrEqual(jitterSeconds * 1_000);
        // Asked from any moment before, the same due time comes.
        expect(next(late, due - 1)).toBe(due);
        delays.add(due - at);
      }
      expect(delays.size).toBeGreaterThan(5);
    },
  );
});

test('a date that never comes is never due', () => {
  expect(next(scheduled({ cronExpression: '0 0 30-31 2 *' }), 0)).toBeUndefined();
});

describe('where the clocks change, a daily schedule', () => {
  const timesOn = (day: string, expression: string) => {
    const call = scheduled({ cronExpression: expression }, 'Europe/Berlin');
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
