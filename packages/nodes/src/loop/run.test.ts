import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const inputs = { start: { items: [1, 2], one: 'x', none: null, object: { a: 1 } } };

test.each([
  ['$input.items', [1, 2]],
  ['$input.one', ['x']],
  ['$input.object', [{ a: 1 }]],
  ['$input.none', []],
  ['$input.missing', []],
  ['$input.items.map("item * 2")', [2, 4]],
  ['plain text', ['plain text']],
])('%s has the rounds %j', async (arrayExpression, items) => {
  expect(await runNode('loop', { arrayExpression }, { inputs })).toEqual({ output: { items } });
});

test('an export without an expression repeats its input', async () => {
  expect(await runNode('loop', {}, { inputs: { start: { a: 1 } } })).toEqual({
    output: { items: [{ a: 1 }] },
  });
});
