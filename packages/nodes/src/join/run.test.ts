import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const ORDERS = [{ c: 1, n: 1 }, { c: 2, n: 2 }, { c: 1, n: 3 }, { n: 4 }];
const PEOPLE = [
  { c: 1, name: 'A' },
  { c: 3, name: 'C', n: 9 },
  { c: null, name: 'N' },
];
const run = (more: JsonObject, items: Json = ORDERS, others: Json = PEOPLE) =>
  runNode(
    'join',
    { items: '$input.a', others: '$input.b', joinBy: 'c', ...more },
    { inputs: { start: { a: items, b: others } } },
  );

const A1 = { c: 1, n: 1, name: 'A' };
const A3 = { c: 1, n: 3, name: 'A' };

test.each<[string, JsonObject, Json[]]>([
  ['those with a partner', {}, [A1, A3]],
  ['all of the first list', { keep: 'first' }, [A1, { c: 2, n: 2 }, A3, { n: 4 }]],
  [
    'all of both lists',
    { keep: 'all' },
    [A1, { c: 2, n: 2 }, A3, { n: 4 }, PEOPLE[1] ?? null, PEOPLE[2] ?? null],
  ],
  [
    'partners in a field of their own',
    { keep: 'all', putInto: 'person' },
    [
      { c: 1, n: 1, person: { c: 1, name: 'A' } },
      { c: 2, n: 2, person: null },
      { c: 1, n: 3, person: { c: 1, name: 'A' } },
      { n: 4, person: null },
      { person: { c: 3, name: 'C', n: 9 } },
      { person: { c: null, name: 'N' } },
    ],
  ],
  [
    'those of the first list with a partner, once and as they are',
    { keep: 'matched' },
    [ORDERS[0] ?? null, ORDERS[2] ?? null],
  ],
  ['those of the first list without a partner', { keep: 'unmatched' }, [{ c: 2, n: 2 }, { n: 4 }]],
  [
    'those of both lists without a partner',
    { keep: 'unmatchedAll' },
    [{ c: 2, n: 2 }, { n: 4 }, PEOPLE[1] ?? null, PEOPLE[2] ?? null],
  ],
])('keeps %s', async (_, more, items) => {
  expect(await run(more)).toEqual({ output: { items, count: items.length } });
});

const [LEFT, RIGHT] = [
  [{ a: 1 }, { a: 2 }, { a: 3 }],
  [{ b: 1 }, { b: 2 }],
];

test.each<[string, JsonObject, Json, Json, Json[]]>([
  [
    'first with first',
    {},
    LEFT,
    RIGHT,
    [
      { a: 1, b: 1 },
      { a: 2, b: 2 },
    ],
  ],
  ['the rest of the first list', { keep: 'first' }, LEFT, RIGHT, [{ a: 1, b: 1 }, { a: 2, b: 2 }, { a: 3 }]],
  ['the rest of both lists', { keep: 'all' }, RIGHT, LEFT, [{ a: 1, b: 1 }, { a: 2, b: 2 }, { a: 3 }]],
  ['the rest alone', { keep: 'unmatched' }, LEFT, RIGHT, [{ a: 3 }]],
  ['the rest of either alone', { keep: 'unmatchedAll' }, RIGHT, LEFT, [{ a: 3 }]],
  ['nothing of an empty list', {}, LEFT, [], []],
])('by place: %s', async (...[, more, items, others, joined]) => {
  const result = await run({ pairBy: 'position', joinBy: '', ...more }, items, others);
  expect(result).toEqual({ output: { items: joined, count: joined.length } });
});

test('every item with every item of the other list', async () => {
  const result = await run({ pairBy: 'every', joinBy: '' }, LEFT.slice(1), RIGHT);
  const items = [
    { a: 2, b: 1 },
    { a: 2, b: 2 },
    { a: 3, b: 1 },
    { a: 3, b: 2 },
  ];
  expect(result).toEqual({ output: { items, count: 4 } });
});

test.each(['first', 'other'])('keeps the field of the %s list where both have it', async (prefer) => {
  const result = await run({ prefer }, [{ c: 1, n: 'first' }], [{ c: 1, n: 'other' }]);
  expect(result).toEqual({ output: { items: [{ c: 1, n: prefer }], count: 1 } });
});

test('several partners make several items, and keys may have several fields with other names', async () => {
  const result = await run(
    { joinBy: 'k.a, b', otherKey: 'x, y' },
    [{ k: { a: 1 }, b: 'z' }],
    [
      { x: 1, y: 'z', n: 1 },
      { x: '1', y: 'z', n: 2 },
      { x: 1, y: 'z', n: 3 },
    ],
  );
  expect(result).toMatchObject({ output: { items: [{ n: 1 }, { n: 3 }], count: 2 } });
});

test.each<[JsonObject, string, Json?]>([
  [{ others: '' }, 'others'],
  [{ items: 'x' }, 'items'],
  [{ joinBy: ' ' }, 'joinBy'],
  [{ otherKey: 'a, b' }, 'otherKey'],
  [{ putInto: '__proto__' }, 'putInto'],
  [{ keep: 'first' }, 'items', [5]],
  [{ keep: 'all' }, 'others', ORDERS],
])('%j is refused by the name of %s', async (more, field, items = ORDERS) => {
  expect(await run(more, items, field === 'others' ? [5] : PEOPLE)).toMatchObject({
    failure: { kind: 'params', field },
  });
});

test('a key that pairs everything with everything ends before memory does', async () => {
  const same = Array.from({ length: 1_001 }, () => ({ c: 1 }));
  expect(await run({}, same, same)).toMatchObject({ failure: { field: 'joinBy' } });
  const every = await run({ pairBy: 'every' }, same, same);
  expect(every).toMatchObject({ failure: { field: 'pairBy' } });
});
