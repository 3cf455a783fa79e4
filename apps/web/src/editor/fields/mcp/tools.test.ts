import { describe, expect, test } from 'vitest';
import { connectionIn, listArguments } from './tools.ts';

describe('the server of a node', () => {
  test.each([
    [
      'a credential comes first',
      { credentialId: 'c', connection: { url: 'https://a' } },
      { credential_id: 'c' },
    ],
    [
      'a connection with an address',
      { connection: { url: 'https://a', label: 'x' } },
      { transport: 'streamable_http', url: 'https://a', headers: {} },
    ],
    [
      'a program',
      { connection: { transport: 'stdio', command: 'npx', args: ['x'], env: { A: 'b' }, label: 'y' } },
      { transport: 'stdio', command: 'npx', args: ['x'], env: { A: 'b' }, packages: '', allowNetwork: false },
    ],
    ['a program without a command', { connection: { transport: 'stdio', url: 'https://a' } }, undefined],
    [
      'a program with an expression',
      { connection: { transport: 'stdio', command: 'npx', env: { A: '$x' } } },
      undefined,
    ],
    ['nothing', {}, undefined],
    ['no address', { connection: { transport: 'sse', url: ' ' } }, undefined],
    ['an expression', { connection: { url: 'https://a', headers: { a: '$credentials.b' } } }, undefined],
  ])('%s', (_, data, connection) => {
    expect(connectionIn(data)).toEqual(connection);
  });
});

test('arguments come in the order of the schema, then stored ones that the tool does not take', () => {
  const tool = {
    name: 'add',
    description: '',
    inputSchema: {
      properties: { b: { type: ['integer', 'null'], description: 'Second' }, a: { enum: [1, 2] } },
      required: ['a'],
    },
  };
  expect(listArguments(tool, { a: '1', old: 'x' })).toEqual([
    { name: 'b', description: 'Second', types: 'integer, null', choices: [], required: false, known: true },
    { name: 'a', description: '', types: '', choices: ['1', '2'], required: true, known: true },
    { name: 'old', description: '', types: '', choices: [], required: false, known: false },
  ]);
});

test('while the tool is not known, what is stored can be edited', () => {
  expect(listArguments(undefined, { a: '1' })).toMatchObject([{ name: 'a', known: true }]);
});
