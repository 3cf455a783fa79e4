import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';
import { coerce, reportedType, type VariableType } from './coerce.ts';

const inputs = { start: { text: 'hi', n: 2, list: [1], yes: true } };

test('the value is kept as a variable and returned', async () => {
  const data = {
    variableName: 'greeting',
    variableValue: '$input.text',
    variableType: 'auto',
    isGlobal: true,
  };
  expect(await runNode('variable', data, { inputs })).toEqual({
    output: { name: 'greeting', value: 'hi', type: 'string' },
    variables: [{ name: 'greeting', value: 'hi', is_global: true }],
  });
});

test('an export without parameters keeps an empty text as "variable"', async () => {
  expect(await runNode('variable', {})).toEqual({
    output: { name: 'variable', value: '', type: 'string' },
    variables: [{ name: 'variable', value: '', is_global: false }],
  });
});

test.each([
  ['$input.n', 2, 'number'],
  ['$input.list', [1], 'array'],
  ['$input.yes', true, 'boolean'],
  ['$input', inputs.start, 'object'],
  ['$input.missing', null, 'null'],
  ['5', '5', 'string'],
])('%s of automatic type is %j, a %s', async (variableValue, value, type) => {
  expect(await runNode('variable', { variableValue }, { inputs })).toMatchObject({ output: { value, type } });
});

test.each<[VariableType, unknown, unknown]>([
  ['number', '5', 5],
  ['number', '5.5', 5.5],
  ['number', ' 5 ', 5],
  ['number', '1e3', 1000],
  ['number', 2, 2],
  ['number', true, 1],
  ['number', 'abc', 'abc'],
  ['number', '', ''],
  ['number', '0x10', '0x10'],
  ['number', 'Infinity', 'Infinity'],
  ['number', null, null],
  ['boolean', 'true', true],
  ['boolean', 'YES', true],
  ['boolean', '1', true],
  ['boolean', 'on', false],
  ['boolean', 'false', false],
  ['boolean', '', false],
  ['boolean', 0, false],
  ['boolean', 2, true],
  ['boolean', null, false],
  ['boolean', [], false],
  ['boolean', [0], true],
  ['boolean', {}, false],
  ['string', 5, '5'],
  ['string', true, 'True'],
  ['string', [1, 'a'], '[1, "a"]'],
  ['string', null, ''],
  ['array', [1], [1]],
  ['array', 'x', 'x'],
  ['object', { a: 1 }, { a: 1 }],
  ['object', 'x', { value: 'x' }],
  ['object', [1], { value: [1] }],
  ['auto', '5', '5'],
])('as %s, %j is stored as %j', (type, value, expected) => {
  expect(coerce(value as never, type)).toEqual(expected);
});

test('a declared type is the one reported', () => {
  expect(reportedType('abc', 'number')).toBe('number');
});

test.each(['__proto__', 'constructor', 'prototype'])('the name %s is refused', async (variableName) => {
  expect(await runNode('variable', { variableName })).toMatchObject({
    failure: { kind: 'params', field: 'variableName' },
  });
});

test('an empty name is refused', async () => {
  expect(await runNode('variable', { variableName: '' })).toMatchObject({
    failure: { kind: 'params', field: 'variableName', message: expect.stringContaining('must not be empty') },
  });
});
