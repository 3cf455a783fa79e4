import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const run = (items: Json, others: Json, more: JsonObject = {}) =>
  runNode(
    'compare',
    { items: '$input.a', others: '$input.b', compareBy: 'id', ...more },
    { inputs: { start: { a: items, b: others } } },
  );
const NONE = { only_first: [], only_other: [], same: [], different: [] };

test('tells items of one list, equal ones and differing ones apart', async () => {
  const first = [{ id: 1, n: 1 }, { id: 2, n: 2, at: 'x' }, { id: 3, n: { b: 1, a: [1] } }, { n: 9 }];
  const others = [
    { id: 3, n: { a: [1], b: 1 }, gone: null },
    { id: 2, n: '2', at: 'y' },
    { id: 4 },
    { id: null },
  ];
  expect(await run(first, others)).toEqual({
    output: {
      only_first: [first[0], first[3]],
      only_other: [others[2], others[3]],
      same: [first[2]],
      different: [{ first: first[1], other: others[1], fields: ['n', 'at'] }],
      is_same: false,
    },
  });
});

test('fields that may differ do not count', async () => {
  const result = await run([{ id: 1, at: 1, n: 1 }], [{ id: 1, at: 2, n: 1 }], { ignore: 'at, by' });
  expect(result).toEqual({ output: { ...NONE, same: [{ id: 1, at: 1, n: 1 }], is_same: true } });
});

test('items of the same key are compared in their order, and each once', async () => {
  const result = await run(
    [
      { id: 1, n: 1 },
      { id: 1, n: 2 },
    ],
    [
      { id: 1, n: 1 },
      { id: 1, n: 3 },
      { id: 1, n: 4 },
    ],
  );
  expect(result).toEqual({
    output: {
      ...NONE,
      only_other: [{ id: 1, n: 4 }],
      same: [{ id: 1, n: 1 }],
      different: [{ first: { id: 1, n: 2 }, other: { id: 1, n: 3 }, fields: ['n'] }],
      is_same: false,
    },
  });
});

test('several fields are one key', async () => {
  const result = await run([{ a: 1, b: { c: 2 } }], [{ a: 1, b: { c: 2 } }], { compareBy: 'a, b.c' });
  expect(result).toMatchObject({ output: { is_same: true } });
});

test.each<[Json, Json, JsonObject, string]>([
  ['x', [], {}, 'items'],
  [[], null, {}, 'others'],
  [[], [], { compareBy: ', ' }, 'compareBy'],
])('%j and %j with %j are refused by the name of the field', async (items, others, more, field) => {
  expect(await run(items, others, more)).toMatchObject({ failure: { kind: 'params', field } });
});

test('one object that is in the other list twice counts as two items', async () => {
  const result = await runNode(
    'compare',
    { items: '$input.a', others: '$array($input.b, $input.b)', compareBy: 'id' },
    { inputs: { start: { a: [{ id: 1 }], b: { id: 1 } } } },
  );
  expect(result).toMatchObject({ output: { same: [{ id: 1 }], only_other: [{ id: 1 }], is_same: false } });
});
