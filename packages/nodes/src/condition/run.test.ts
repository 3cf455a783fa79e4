import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const input = { start: { text: 'hello', n: 5 } };

test('a true condition continues at true', async () => {
  expect(await runNode('condition', { condition: '$input.n > 3' }, { inputs: input })).toEqual({
    output: { branch: 'true' },
    ports: ['true'],
  });
});

test('a false condition continues at false', async () => {
  expect(await runNode('condition', { condition: '$input.n > 9' }, { inputs: input })).toEqual({
    output: { branch: 'false' },
    ports: ['false'],
  });
});

test.each(['$input.n >', '((((', '$missing.x > 1', 'start.n > 3'])(
  'a condition that cannot be evaluated is false: %s',
  async (condition) => {
    expect(await runNode('condition', { condition }, { inputs: input })).toMatchObject({ ports: ['false'] });
  },
);

test('a condition that an export leaves out is true', async () => {
  expect(await runNode('condition', {})).toMatchObject({ ports: ['true'] });
});
