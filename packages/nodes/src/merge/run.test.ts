import { expect, test } from 'vitest';
import { catalog } from '../catalog.ts';
import { runNode } from '../testing/run-node.ts';

test('outputs are joined by the label of their node', async () => {
  const inputs = { left: { a: 1 }, right: 'text' };
  expect(await runNode('merge', { inputCount: 2 }, { inputs })).toEqual({
    output: { merged: { left: { a: 1 }, right: 'text' } },
  });
});

test('a label that could reach a prototype is refused', async () => {
  const inputs = JSON.parse('{"__proto__": {"a": 1}}');
  expect(await runNode('merge', {}, { inputs })).toMatchObject({
    failure: { kind: 'params', field: 'label' },
  });
});

test.each([
  [{ inputCount: 3 }, 3],
  [{ inputCount: '4' }, 4],
  [{}, 2],
  [{ inputCount: -1 }, 1],
  [{ inputCount: 1e12 }, 200],
  [{ inputCount: 'many' }, 2],
])('%j draws %i handles', (data, count) => {
  expect(catalog.get('merge')?.ports(data).inputs).toHaveLength(count);
});
