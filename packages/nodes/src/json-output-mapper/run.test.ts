import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('§2.3: the mapped object is the output', async () => {
  const mappings = [
    { key: 'message', value: '$input.text' },
    { key: 'count', value: '$input.items.length' },
  ];
  expect(
    await runNode('jsonOutputMapper', { mappings }, { inputs: { start: { text: 'hi', items: [1, 2] } } }),
  ).toEqual({
    output: { message: 'hi', count: 2 },
  });
});

test('an export without rows gives an empty object', async () => {
  expect(await runNode('jsonOutputMapper', {})).toEqual({ output: {} });
});

test('a name that could reach a prototype is refused', async () => {
  expect(await runNode('jsonOutputMapper', { mappings: [{ key: '__proto__', value: 'x' }] })).toMatchObject({
    failure: { kind: 'params' },
  });
});
