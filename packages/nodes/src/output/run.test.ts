import { expect, test } from 'vitest';
import { catalog } from '../catalog.ts';
import { runNode } from '../testing/run-node.ts';

const inputs = { left: { text: 'hi', n: 5, empty: '' }, right: { other: true } };

test.each([
  ['$input.text', 'hi'],
  ['$left.n', 5],
  ['n is $left.n', 'n is 5'],
  ['fixed', 'fixed'],
  ['$left.empty', ''],
  ['$left.missing', null],
])('the message %j gives %j', async (message, result) => {
  expect(await runNode('output', { message }, { inputs })).toEqual({ output: { result } });
});

test.each([{}, { message: '' }, { message: null }])('%j returns all inputs by label', async (data) => {
  expect(await runNode('output', data, { inputs })).toEqual({ output: { result: inputs } });
});

test('rows make an object and win over the message', async () => {
  const outputSchema = [
    { key: 'text', value: '$left.text' },
    { key: 'n', value: '$left.n' },
  ];
  expect(await runNode('output', { message: 'ignored', outputSchema }, { inputs })).toEqual({
    output: { result: { text: 'hi', n: 5 } },
  });
});

test('only an output that answers early has an outgoing handle', () => {
  const ports = (data: object) => catalog.get('output')?.ports(data as never).outputs;
  expect(ports({})).toEqual([]);
  expect(ports({ allowDownstream: 'true' })).toEqual([]);
  expect(ports({ allowDownstream: true })).toEqual(['output']);
});
