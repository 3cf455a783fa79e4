import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const inputs = { start: { text: 'hi', n: 5, list: [1], object: { a: 1 }, none: null, yes: true } };
const set = (mappings: { key: string; value: unknown }[]) =>
  runNode('set', { mappings: mappings as never }, { inputs });

test('values keep their types', async () => {
  const names = ['text', 'n', 'list', 'object', 'none', 'yes'];
  expect(await set(names.map((key) => ({ key, value: `$input.${key}` })))).toEqual({ output: inputs.start });
});

test('text without a reference stays text', async () => {
  expect(
    await set([
      { key: 'a', value: '5' },
      { key: 'b', value: 'true' },
    ]),
  ).toEqual({ output: { a: '5', b: 'true' } });
});

test('values that are no text are taken as they are', async () => {
  expect(
    await set([
      { key: 'a', value: 5 },
      { key: 'b', value: { c: ['$x'] } },
    ]),
  ).toEqual({
    output: { a: 5, b: { c: ['$x'] } },
  });
});

test('rows without a name are skipped and the last row of a name wins', async () => {
  expect(
    await set([
      { key: '', value: 'x' },
      { key: 'a', value: '1' },
      { key: 'a', value: '2' },
    ]),
  ).toEqual({
    output: { a: '2' },
  });
});

test('names are not split at dots', async () => {
  expect(await set([{ key: 'a.b', value: '1' }])).toEqual({ output: { 'a.b': '1' } });
});

test('an export without rows gives an empty object', async () => {
  expect(await runNode('set', {})).toEqual({ output: {} });
});

test.each(['__proto__', 'constructor', 'prototype'])('the name %s is refused', async (key) => {
  expect(await set([{ key, value: 'x' }])).toMatchObject({
    failure: { kind: 'params', message: expect.stringContaining(key) },
  });
});

test.each(['toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'])(
  'the name %s is an ordinary one',
  async (key) => {
    expect(await set([{ key, value: 'x' }])).toEqual({ output: { [key]: 'x' } });
  },
);
