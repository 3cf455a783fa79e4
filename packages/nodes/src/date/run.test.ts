import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const BERLIN = { timeZone: 'Europe/Berlin' };
const run = (operation: string, data: JsonObject) => runNode('date', { operation, ...data });

test.each<[string, JsonObject, string]>([
  ['now', {}, '2026-01-02T03:04:05+00:00'],
  ['now', BERLIN, '2026-01-02T04:04:05+01:00'],
  ['format', { value: '$now', format: 'D.M.YY' }, '2.1.26'],
  ['format', { value: '2026-07-01', ...BERLIN }, '2026-07-01T00:00:00+02:00'],
  ['format', { value: '2026-07-01T00:00:00Z', ...BERLIN, format: 'HH:mm [Uhr]' }, '02:00 Uhr'],
  ['format', { value: '2026-07-01T10:00:00-05:00' }, '2026-07-01T10:00:00-05:00'],
  ['format', { value: 1_774_765_800, ...BERLIN }, '2026-03-29T08:30:00+02:00'],
  [
    'add',
    { value: '2026-03-28T08:30:00', amount: '24', unit: 'hours', ...BERLIN },
    '2026-03-29T09:30:00+02:00',
  ],
  ['add', { value: '2026-01-31', amount: 1, unit: 'months' }, '2026-02-28T00:00:00+00:00'],
  ['add', { value: '2024-02-29', amount: -1, unit: 'years' }, '2023-02-28T00:00:00+00:00'],
  ['add', { value: '2026-01-01', amount: 2, unit: 'weeks', format: 'YYYY-MM-DD' }, '2026-01-15'],
  ['add', { value: '2026-01-01', amount: 1.5, unit: 'minutes' }, '2026-01-01T00:01:30+00:00'],
  ['startOf', { value: '2026-07-15T23:30:00Z', period: 'day', ...BERLIN }, '2026-07-16T00:00:00+02:00'],
  ['startOf', { value: '2026-07-15', period: 'month' }, '2026-07-01T00:00:00+00:00'],
  ['endOf', { value: '2026-02-01', period: 'month', format: 'YYYY-MM-DD HH:mm:ss' }, '2026-02-28 23:59:59'],
])('%s of %j', async (operation, data, value) => {
  expect(await run(operation, data)).toMatchObject({ output: { value } });
});

test('the time between two dates over a clock change', async () => {
  const data = { value: '2026-03-28T12:00:00', until: '2026-03-29T12:00:00', ...BERLIN };
  expect(await run('difference', data)).toEqual({
    output: {
      milliseconds: 82_800_000,
      seconds: 82_800,
      minutes: 1_380,
      hours: 23,
      days: 23 / 24,
      calendar_days: 1,
    },
  });
});

test.each([
  ['2026-01-02T23:00:00Z', '2026-01-02T22:00:00Z', 0],
  ['2026-01-03T01:00:00Z', '2026-01-02T22:00:00Z', -1],
  // In the offset of the first date the other one is on the same day.
  ['2026-01-02T23:00:00-05:00', '2026-01-03T04:30:00Z', 0],
])('days on the calendar between %s and %s', async (value, until, calendar_days) => {
  expect(await run('difference', { value, until })).toMatchObject({ output: { calendar_days } });
});

test.each<[string, JsonObject, string]>([
  ['format', { value: '' }, 'value'],
  ['format', { value: '31.12.2026' }, 'value'],
  ['format', { value: '2026-02-30' }, 'value'],
  ['format', { value: '$input' }, 'value'],
  ['difference', { value: '2026-01-01', until: 'soon' }, 'until'],
  ['now', { timeZone: 'Mars/Olympus' }, 'timeZone'],
  ['add', { value: '2026-01-01', amount: 1.5, unit: 'days' }, 'amount'],
  ['add', { value: '2026-01-01', amount: 'x' }, 'amount'],
  ['add', { value: '9999-01-01', amount: 9_999_999, unit: 'years' }, 'amount'],
  ['now', { format: 'Y'.repeat(201) }, 'format'],
])('%s of %j is refused by the name of its field', async (operation, data, field) => {
  expect(await run(operation, data)).toMatchObject({ failure: { kind: 'params', field, final: true } });
});
