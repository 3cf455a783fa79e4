import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const ORDERS = [
  { country: 'DE', total: 10, tag: 'a' },
  { country: 'FR', total: '2.5', tag: 'a' },
  { country: 'DE', total: 5, tag: 'b' },
  { country: 'DE' },
];

const rows = (values: Record<string, string>) =>
  Object.entries(values).map(([key, value]) => ({ key, value }));

const run = (data: JsonObject, items: Json = ORDERS) =>
  runNode('aggregate', data, { inputs: { start: { items } } });

test('each group has its fields and its values', async () => {
  const aggregates = rows({
    orders: 'count',
    priced: 'count total',
    sum: 'sum total',
    mean: 'average total',
    least: 'min total',
    most: 'max total',
    first: 'first tag',
    last: 'last tag',
    tags: 'list tag',
    kinds: 'countDistinct tag',
    text: 'join tag',
    lines: 'join "\\n" total',
  });
  expect(await run({ groupBy: 'country', aggregates })).toEqual({
    output: {
      groups: [
        {
          country: 'DE',
          orders: 3,
          priced: 2,
          sum: 15,
          mean: 7.5,
          least: 5,
          most: 10,
          first: 'a',
          last: 'b',
          tags: ['a', 'b'],
          kinds: 2,
          text: 'a, b',
          lines: '10\n5',
        },
        {
          country: 'FR',
          orders: 1,
          priced: 1,
          sum: 2.5,
          mean: 2.5,
          least: '2.5',
          most: '2.5',
          first: 'a',
          last: 'a',
          tags: ['a'],
          kinds: 1,
          text: 'a',
          lines: '2.5',
        },
      ],
      count: 2,
    },
  });
});

test.each<[string, JsonObject, Json, Json]>([
  ['a whole list is one group', {}, ORDERS, [{ count: 4 }]],
  [
    'an empty list too',
    { aggregates: rows({ n: 'count', s: 'sum x', a: 'average x', m: 'max x' }) },
    [],
    [{ n: 0, s: 0, a: null, m: null }],
  ],
  [
    'equal values once, of whole items too',
    { aggregates: rows({ d: 'distinct', t: 'distinct tag' }) },
    [{ tag: 'a' }, { tag: 'a' }],
    [{ d: [{ tag: 'a' }], t: ['a'] }],
  ],
  [
    'empty texts left out, when it says so',
    {
      aggregates: rows({ n: 'count x', d: 'countDistinct x', j: 'join "," x', m: 'min x', all: 'count' }),
      skipEmpty: true,
    },
    [{ x: '' }, { x: 'a' }, { x: null }, { x: 'a' }],
    [{ n: 2, d: 1, j: 'a,a', m: 'a', all: 4 }],
  ],
  [
    'by two fields, one inside another',
    { groupBy: 'a.b, c', aggregates: rows({ n: 'count' }) },
    [{ a: { b: 1 } }, { a: { b: 1 }, c: null }, { a: { b: '1' } }],
    [
      { 'a.b': 1, c: null, n: 2 },
      { 'a.b': '1', c: null, n: 1 },
    ],
  ],
])('%s', async (_, data, items, groups) => {
  expect(await run(data, items)).toMatchObject({ output: { groups } });
});

test.each<[string, Record<string, string>, string]>([
  ['an unknown word', { x: 'median total' }, 'row 1 must be one of count'],
  ['a sum without a field', { x: 'sum' }, 'row 1 must be one of count'],
  ['a separator for something else', { x: 'list ", " tag' }, 'row 1 must be one of count'],
  ['a separator that is no JSON', { x: 'join "\\q" tag' }, 'row 1 must be one of count'],
  ['a text that is no number', { x: 'sum tag' }, 'tag holds "a", which is no number'],
  ['a reserved name', JSON.parse('{"__proto__": "count"}'), 'reserved'],
])('%s is refused', async (_, values, message) => {
  expect(await run({ aggregates: rows(values) })).toMatchObject({
    failure: {
      kind: 'params',
      field: expect.stringMatching(/^aggregates/),
      message: expect.stringContaining(message),
    },
  });
});
