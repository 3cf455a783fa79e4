import type { Json } from '@millrace/engine';
import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const run = (items: Json, sortBy = '') => runNode('sort', { sortBy }, { inputs: { start: { items } } });

test.each<[string, Json[], string, Json[]]>([
  ['numbers by size', [10, 9, -1.5], '', [-1.5, 9, 10]],
  ['texts with the numbers in them', ['row 10', 'row 9', 'Ähre', 'b'], '', ['Ähre', 'b', 'row 9', 'row 10']],
  ['descending, with what is missing last', [{ a: 1 }, {}, { a: 2 }], '-a', [{ a: 2 }, { a: 1 }, {}]],
  [
    'by a second field, and keeps the order of equals',
    [
      { c: 'x', n: 2, at: 1 },
      { c: 'x', n: 1 },
      { c: 'a', n: 5 },
      { c: 'x', n: 2, at: 2 },
    ],
    'c, -n',
    [
      { c: 'a', n: 5 },
      { c: 'x', n: 2, at: 1 },
      { c: 'x', n: 2, at: 2 },
      { c: 'x', n: 1 },
    ],
  ],
  [
    'by a field inside another',
    [{ a: { b: 2 } }, { a: { b: 1 } }],
    'a.b',
    [{ a: { b: 1 } }, { a: { b: 2 } }],
  ],
  ['by a field with a dot in its name', [{ 'a.b': 2 }, { 'a.b': 1 }], 'a.b', [{ 'a.b': 1 }, { 'a.b': 2 }]],
  ['values of several kinds', [true, 'a', null, 1, [1]], '', [1, 'a', true, [1], null]],
])('sorts %s', async (_, items, sortBy, sorted) => {
  expect(await run(items, sortBy)).toEqual({ output: { items: sorted, count: items.length } });
});

test.each([
  ['a text', 'x'],
  ['an object', { a: 1 }],
  ['nothing', null],
])('%s is no list, which is said', async (words, items) => {
  expect(await run(items)).toMatchObject({
    failure: { kind: 'params', field: 'items', message: expect.stringContaining(`not ${words}`) },
  });
});
