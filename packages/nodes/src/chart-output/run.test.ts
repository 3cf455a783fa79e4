import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { catalog } from '../catalog.ts';
import { runNode } from '../testing/run-node.ts';

const ROWS = [
  { month: 'May', sales: '12.5', cost: 3, open: true },
  { month: 'June', sales: 'none', cost: 4, open: false },
];
const chart = (data: JsonObject, ...outputs: Json[]) =>
  runNode('chartOutput', data, {
    inputs: Object.fromEntries(outputs.map((one, index) => [`n${index}`, one])),
  });

test.each<[string, JsonObject, JsonObject]>([
  [
    'bar',
    { labelField: 'month', valueField: 'sales', title: 'T', url: '/runs' },
    {
      title: 'T',
      url: '/runs',
      labels: ['May', 'June'],
      series: [{ name: 'sales', data: [12.5, null] }],
      orientation: 'vertical',
    },
  ],
  [
    'line',
    { labelField: 'month', series: [{ name: 'Sales', field: 'sales' }, { field: 'cost' }] },
    {
      labels: ['May', 'June'],
      series: [
        { name: 'Sales', data: [12.5, null] },
        { name: 'cost', data: [3, 4] },
      ],
    },
  ],
  ['pie', {}, { labels: ['May', 'June'], series: [{ name: 'sales', data: [12.5, null] }] }],
  [
    'barGauge',
    { valueField: 'cost', seriesName: 'Cost', unit: '€', max: '10' },
    { labels: ['May', 'June'], series: [{ name: 'Cost', data: [3, 4] }], unit: '€', max: 10 },
  ],
  [
    'scatter',
    { xField: 'cost', yField: 'sales' },
    {
      series: [
        {
          name: 'sales',
          data: [
            [3, 12.5],
            [4, null],
          ],
        },
      ],
    },
  ],
  [
    'table',
    { columns: '["cost", "month"]', statusColumn: 'open', statusTones: { true: 'good' } },
    {
      columns: ['cost', 'month'],
      rows: [
        [3, 'May'],
        [4, 'June'],
      ],
      statusColumn: 'open',
      statusTones: { true: 'good' },
    },
  ],
  [
    'table',
    { columns: 'month, cost' },
    {
      columns: ['month', 'cost'],
      rows: [
        ['May', 3],
        ['June', 4],
      ],
    },
  ],
  ['numeric', { valueField: 'sales', unit: 'k', decimals: 1 }, { value: 12.5, unit: 'k', decimals: 1 }],
  ['gauge', { valueField: 'cost' }, { value: 3, min: 0, max: 100 }],
  [
    'barGauge',
    { labelField: 'month', valueField: 'cost' },
    { labels: ['May', 'June'], series: [{ name: 'cost', data: [3, 4] }] },
  ],
  [
    'scatter',
    { labelField: 'cost', valueField: 'sales', seriesName: 'Sold' },
    {
      series: [
        {
          name: 'Sold',
          data: [
            [3, 12.5],
            [4, null],
          ],
        },
      ],
    },
  ],
  ['text', { valueField: 'month', text: 'fixed' }, { text: 'May', text_interactive: false }],
  ['text', { valueField: 'missing', text: 'fixed' }, { text: 'fixed', text_interactive: false }],
  ['text', {}, { text: 'May', text_interactive: false }],
  ['text', { text: 'Sold $input.data[0].sales' }, { text: 'Sold 12.5', text_interactive: false }],
])('%s with %j', async (chartType, data, expected) => {
  expect(await chart({ chartType, ...data }, { data: ROWS })).toEqual({
    output: { type: chartType, ...expected },
  });
});

test.each<[string, JsonObject, Json[], number]>([
  ['a list', {}, [ROWS], 2],
  ['the list in data', {}, [{ other: [1], data: ROWS }], 2],
  ['the first list', {}, [{ count: 2, orders: ROWS, more: [] }], 2],
  ['an object without a list', {}, [{ month: 'May', sales: 1 }], 1],
  ['a path', { dataPath: 'body.orders' }, [{ data: [1], body: { orders: ROWS } }], 2],
  ['several outputs as one', {}, [{ count: 1 }, { data: ROWS }], 2],
])('rows are found in %s', async (_, data, outputs, count) => {
  const result = await chart({ chartType: 'table', ...data }, ...outputs);
  expect(result).toMatchObject({ output: { rows: { length: count } } });
});

test.each([
  ['bar', { labels: [], series: [{ data: [] }] }],
  ['scatter', { series: [{ data: [] }] }],
  ['table', { rows: [] }],
  ['gauge', { value: null }],
])('a path that names no list draws an empty chart: %s', async (chartType, empty) => {
  for (const dataPath of ['nothing', 'count', 'body.orders']) {
    expect(await chart({ chartType, dataPath }, { data: ROWS, count: 3 })).toMatchObject({ output: empty });
  }
});

test.each<[string, Json[], Json[], number[]]>([
  [
    'numbers alone',
    [
      { day: 1, orders: 8 },
      { day: 2, orders: 9 },
    ],
    ['1', '2'],
    [8, 9],
  ],
  ['a field named value', [{ id: 7, name: 'a', value: 3 }], ['a'], [3]],
  ['a text named value', [{ value: 'north', total: 5 }], ['north'], [5]],
  ['one number', [{ orders: 8 }], ['1'], [8]],
])('without names, %s are told apart from their labels', async (_, rows, labels, data) => {
  const result = await chart({ chartType: 'line' }, { rows });
  expect(result).toMatchObject({ output: { labels, series: [{ data }] } });
});

test('rows of numbers are not labelled by a field that is drawn', async () => {
  const series = [{ field: 'a' }, { field: 'b' }];
  const result = await chart(
    { chartType: 'line', series },
    {
      rows: [
        { a: 1, b: 2 },
        { a: 3, b: 4 },
      ],
    },
  );
  expect(result).toMatchObject({
    output: { labels: ['1', '2'], series: [{ data: [1, 3] }, { data: [2, 4] }] },
  });
});

test('a text of data that has none shows the data', async () => {
  expect(await chart({ chartType: 'text' }, { count: 3 })).toMatchObject({
    output: { text: '{"count": 3}' },
  });
});

test('nothing before it is an empty number', async () => {
  expect(await chart({ chartType: 'numeric' })).toEqual({ output: { type: 'numeric', value: null } });
});

test.each<[JsonObject, string]>([
  [{ url: 'javascript:alert(1)' }, 'url'],
  [{ url: '//other.example' }, 'url'],
  [{ series: '{}' }, 'series'],
  [{ series: [{ name: 'a' }] }, 'series'],
  [{ chartType: 'table', columns: [1] }, 'columns'],
  [{ chartType: 'gauge', max: 'many' }, 'max'],
])('%j is refused by the name of its field', async (data, field) => {
  expect(await chart(data, { data: ROWS })).toMatchObject({ failure: { kind: 'params', field } });
});

test('it ends a workflow: no node follows', () => {
  expect(catalog.get('chartOutput')?.ports({})).toEqual({ inputs: ['input'], outputs: [] });
});
