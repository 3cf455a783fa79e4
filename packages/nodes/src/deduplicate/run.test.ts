import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const run = (items: Json, data: JsonObject = {}) =>
  runNode('deduplicate', data, { inputs: { start: { items } } });

test.each<[string, Json[], JsonObject, Json[]]>([
  ['whole values, by kind too', [1, '1', 1, null, null], {}, [1, '1', null]],
  [
    'objects with their keys in any order',
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    {},
    [{ a: 1, b: [2] }],
  ],
  [
    'by a field, the first',
    [
      { id: 1, v: 'a' },
      { id: 1, v: 'b' },
    ],
    { compareBy: 'id' },
    [{ id: 1, v: 'a' }],
  ],
  [
    'by a field, the last, in the place of the first',
    [{ id: 1, v: 'a' }, { id: 2 }, { id: 1, v: 'b' }],
    { compareBy: 'id', keep: 'last' },
    [{ id: 1, v: 'b' }, { id: 2 }],
  ],
  [
    'by two fields, one inside another',
    [
      { a: 1, b: { c: 1 } },
      { a: 1, b: { c: 2 } },
      { a: 1, b: { c: 1, d: 3 } },
    ],
    { compareBy: 'a, b.c' },
    [
      { a: 1, b: { c: 1 } },
      { a: 1, b: { c: 2 } },
    ],
  ],
])('keeps once %s', async (_, items, data, kept) => {
  expect(await run(items, data)).toEqual({
    output: { items: kept, count: kept.length, removed: items.length - kept.length },
  });
});

test('what is no list is refused by name', async () => {
  expect(await run('x')).toMatchObject({ failure: { kind: 'params', field: 'items' } });
});
