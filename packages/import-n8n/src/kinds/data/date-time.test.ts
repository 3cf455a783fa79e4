import type { Json, JsonObject } from '@millrace/engine';
import { runNode } from '@millrace/nodes/testing';
import { describe, expect, it } from 'vitest';
import { base, convert, one } from '../../testing/converted.ts';

const main = (node: string): JsonObject => ({ main: [[{ node, type: 'main', index: 0 }]] });

/** The value of a script behind the node, after a run of both behind a field `x`. */
async function read(
  version: number,
  parameters: JsonObject,
  script: string,
  x: Json = '2026-03-04T05:06:07Z',
) {
  const { node, lines } = convert({
    nodes: [
      {
        name: 'Before',
        type: base('set'),
        typeVersion: 3.4,
        parameters: { assignments: { assignments: [{ name: 'x', value: 'a' }] } },
      },
      { name: 'One', type: base('dateTime'), typeVersion: version, parameters },
      {
        name: 'After',
        type: base('set'),
        typeVersion: 3.4,
        executeOnce: true,
        parameters: { assignments: { assignments: [{ name: 'v', value: `={{ ${script} }}` }] } },
      },
    ],
    connections: { Before: main('One'), One: main('After') },
  });
  const outputs: Record<string, Json> = { Before: { x } };
  for (const label of ['One', 'After']) {
    const { type = '', data = {} } = node(label) ?? {};
    const result = await runNode(type, data, { inputs: outputs });
    if (!('output' in result)) throw new Error(JSON.stringify(result));
    outputs[label] = result.output as Json;
  }
  return { value: (outputs['After'] as JsonObject)['v'], lines: lines('One') };
}

const X = '={{ $json.x }}';

describe('date & time, second version', () => {
  it.each<[JsonObject, string, Json]>([
    [{ operation: 'addToDate', magnitude: X, duration: 2 }, '$json.newDate', '2026-03-06T05:06:07.000Z'],
    [
      { operation: 'subtractFromDate', magnitude: X, duration: 1, timeUnit: 'months', outputFieldName: 'd' },
      '$json.d',
      '2026-02-04T05:06:07.000Z',
    ],
    [{ operation: 'formatDate', date: X, format: 'dd.MM.yyyy' }, '$json.formattedDate', '04.03.2026'],
    [
      {
        operation: 'formatDate',
        date: X,
        format: 'custom',
        customFormat: 'yyyy',
        options: { timezone: true },
      },
      '$json.formattedDate',
      '2026',
    ],
    [{ operation: 'roundDate', date: X }, '$json.roundedDate', '2026-03-01T00:00:00.000Z'],
    [{ operation: 'roundDate', date: X, toNearest: 'hour' }, '$json.roundedDate', '2026-03-04T05:00:00.000Z'],
    [{ operation: 'roundDate', date: X, mode: 'roundUp' }, '$json.roundedDate', '2026-04-01T00:00:00.000Z'],
    [
      { operation: 'roundDate', date: X, mode: 'roundUp', to: 'week' },
      '$json.roundedDate',
      '2026-03-09T00:00:00.000Z',
    ],
    [{ operation: 'extractDate', date: X, part: 'day' }, '$json.datePart', 4],
    [
      { operation: 'getTimeBetweenDates', startDate: '2026-03-03T05:06:07Z', endDate: X, units: ['hour'] },
      '$json.timeDifference.hours',
      24,
    ],
    [
      { operation: 'getTimeBetweenDates', startDate: X, endDate: '2026-03-03T05:06:07Z' },
      '$json.timeDifference',
      { days: -1 },
    ],
    [
      { operation: 'addToDate', magnitude: X, duration: 2, options: { includeInputFields: true } },
      '$json.x',
      '2026-03-04T05:06:07Z',
    ],
  ])('%o', async (parameters, script, value) => {
    expect(await read(2, parameters, script)).toEqual({ value, lines: [] });
  });

  it('reads text by its format, in UTC unless the zone of the workflow is chosen', async () => {
    const parameters = {
      operation: 'formatDate',
      date: X,
      format: 'yyyy-MM-dd',
      options: { fromFormat: 'dd/MM/yyyy' },
    };
    expect((await read(2, parameters, '$json.formattedDate', '09/02/2026')).value).toBe('2026-02-09');
  });

  it.each<[Json]>([[1_772_600_767], ['1772600767'], [' 1772600767000 '], [1_772_600_767_000]])(
    'reads %j as Unix time',
    async (x) => {
      const extracted = { operation: 'extractDate', date: X, part: 'year' };
      expect((await read(2, extracted, '$json.datePart', x)).value).toBe(2026);
      const rounded = { operation: 'roundDate', date: X, toNearest: 'hour' };
      expect((await read(2, rounded, '$json.roundedDate', x)).value).toBe('2026-03-04T05:00:00.000Z');
    },
  );

  it.each<[JsonObject, Json]>([
    [{ operation: 'extractDate', date: X }, 'soon'],
    [{ operation: 'extractDate', date: X }, null],
    [{ operation: 'extractDate', date: X }, ''],
    [{ operation: 'roundDate', date: X, mode: 'roundUp' }, 'soon'],
    [{ operation: 'getTimeBetweenDates', startDate: X, endDate: '2026-03-03' }, [1]],
  ])('fails with %o for %j, which is no date', async (parameters, x) => {
    await expect(read(2, parameters, '1', x)).rejects.toThrow(/readDate\(\) needs a date/);
  });

  it.each<[date: string, zone: string | undefined]>([
    ['={{ DateTime.fromISO($json.x) }}', undefined],
    ['={{ $now.plus(1, "day") }}', undefined],
    ['={{ $json.now }}', 'UTC'],
    ['={{ $now.toISO() }}', 'UTC'],
    ['2026-01-01', 'UTC'],
  ])('writes %s in the zone %s', (date, zone) => {
    const { settings } = one(base('dateTime'), 2, { operation: 'formatDate', date, format: 'dd.MM.yyyy' });
    expect(settings['timeZone']).toBe(zone);
  });

  it('fails for what is no date', async () => {
    await expect(
      read(2, { operation: 'addToDate', magnitude: X, duration: 1 }, '$json.newDate', 'soon'),
    ).rejects.toThrow(/date/);
  });
});

describe('date & time, first version', () => {
  it.each<[JsonObject, string, Json]>([
    [{ value: X, toFormat: 'YYYY-MM-DD' }, '$json.data', '2026-03-04'],
    [{ value: X, dataPropertyName: 'day' }, '$json.day', '03/04/2026'],
    [{ value: X, toFormat: 'X' }, '$json.data', '1772600767'],
    [{ value: X, toFormat: 'HH:mm', options: { toTimezone: 'Europe/Berlin' } }, '$json.data', '06:06'],
    [{ action: 'calculate', value: X, duration: 5 }, '$json.data', '2026-03-09T05:06:07.000Z'],
    [
      { action: 'calculate', operation: 'subtract', value: X, duration: 1, timeUnit: 'hours' },
      '$json.data + " " + $json.x',
      '2026-03-04T04:06:07.000Z 2026-03-04T05:06:07Z',
    ],
  ])('%o', async (parameters, script, value) => {
    expect(await read(1, parameters, script)).toEqual({ value, lines: [] });
  });
});

it.each<[number, JsonObject, RegExp]>([
  [2, { operation: 'getTimeBetweenDates', units: ['day', 'hour'] }, /several units/],
  [2, { operation: 'getTimeBetweenDates', options: { isoString: true } }, /ISO duration/],
  [2, { operation: 'extractDate', date: X, part: 'week' }, /part/],
  [2, { operation: 'addToDate', timeUnit: 'quarters' }, /unit/],
  [1, { value: X, toFormat: 'Do MMMM' }, /format/],
  [1, { value: X, options: { fromFormat: 'DD.MM.YYYY' } }, /format/],
  [1, { value: X, options: { fromTimezone: 'Europe/Berlin' } }, /time zone/],
])('keeps what has no equal in version %i: %o', (version, parameters, reason) => {
  const { node, lines } = convert({
    nodes: [{ name: 'One', type: base('dateTime'), typeVersion: version, parameters }],
    connections: {},
  });
  expect(node('One')?.type).toBe(base('dateTime'));
  expect(lines('One').join()).toMatch(reason);
});
