import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const run = (items: Json, data: JsonObject) => runNode('split', data, { inputs: { start: { items } } });

test.each<[string, Json[], JsonObject, Json[]]>([
  [
    'lists in a field',
    [{ id: 1, l: ['a', { b: 1 }] }, { id: 2, l: [] }, { id: 3 }, { id: 4, l: 'x' }],
    { splitField: 'l' },
    [
      { id: 1, l: 'a' },
      { id: 1, l: { b: 1 } },
      { id: 4, l: 'x' },
    ],
  ],
  ['only the entries', [{ l: [1, 2] }, { l: [3] }], { splitField: 'l', keepOthers: false }, [1, 2, 3]],
  ['a field inside another', [{ o: { l: [1] } }], { splitField: 'o.l', keepOthers: false }, [1]],
  ['lists of lists, one level', [[1, [2]], 3, []], { operation: 'flatten' }, [1, [2], 3]],
  ['parts', [1, 2, 3, 4, 5], { operation: 'parts', size: '2' }, [[1, 2], [3, 4], [5]]],
  ['no parts of nothing', [], { operation: 'parts', size: 2 }, []],
])('splits %s', async (_, items, data, expected) => {
  expect(await run(items, data)).toEqual({ output: { items: expected, count: expected.length } });
});

test.each<[Json, JsonObject, string]>([
  ['x', { operation: 'flatten' }, 'items'],
  [[5], { splitField: 'l' }, 'items'],
  [[{}], { splitField: '' }, 'splitField'],
  [[{}], { splitField: 'constructor' }, 'splitField'],
  [[{}], { operation: 'parts', size: 0 }, 'size'],
])('%j with %j is refused by the name of its field', async (items, data, field) => {
  expect(await run(items, data)).toMatchObject({ failure: { kind: 'params', field } });
});
