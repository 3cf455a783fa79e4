import type { JsonObject } from '@millrace/engine';
import { NodeFailure } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { programOfConnection } from './program.ts';

const read = (connection: JsonObject) =>
  programOfConnection({ transport: 'stdio', ...connection }, 'connection');
const catchFailure = (connection: JsonObject) => {
  try {
    read(connection);
  } catch (error) {
    if (error instanceof NodeFailure) return error.failure;
    throw error;
  }
  throw new Error('no failure');
};

describe('what a stdio connection starts', () => {
  test.each<[string, JsonObject, object]>([
    [
      'npx with a package and its version',
      { command: 'npx', args: ['-y', '@scope/server-files@1.2.3', '/tmp'] },
      {
        language: 'javascript',
        main_of: '@scope/server-files',
        args: ['/tmp'],
        requirements: ['@scope/server-files@1.2.3'],
      },
    ],
    [
      'arguments as JSON text, as exports have them',
      { command: 'npx', args: '["-y", "some-server", "--port", 5]' },
      { main_of: 'some-server', args: ['--port', '5'], requirements: ['some-server'] },
    ],
    [
      'arguments as words',
      { command: 'npx', args: "-y some-server 'two words'" },
      { main_of: 'some-server', args: ['two words'] },
    ],
    [
      'a command with its arguments in one text',
      { command: 'npx -y some-server --fast' },
      { main_of: 'some-server', args: ['--fast'] },
    ],
    [
      'a command of another package',
      { command: '/usr/local/bin/npx', args: ['--package=some-tools', '--', 'serve', '-v'] },
      {
        language: 'javascript',
        command: 'serve',

        args: ['-v'],
        requirements: ['some-tools'],
      },
    ],
    ['npm exec', { command: 'npm', args: ['exec', '-y', 'some-server'] }, { main_of: 'some-server' }],
    [
      'a shell of Windows',
      { command: 'cmd', args: ['/c', 'npx', '-y', 'some-server'] },
      { main_of: 'some-server' },
    ],
    [
      'uvx with a version',
      { command: 'uvx', args: ['mcp-server-time@2.1', '--local'] },
      {
        language: 'python',
        command: 'mcp-server-time',
        args: ['--local'],
        requirements: ['mcp-server-time==2.1'],
      },
    ],
    [
      'uvx with the latest version, extras and more packages',
      {
        command: 'uv',
        args: ['tool', 'run', '--with', 'httpx,rich', '--python', '3.12', 'server[http]@latest'],
      },
      { command: 'server', requirements: ['server[http]', 'httpx', 'rich'] },
    ],
    [
      'uvx with a command of another package',
      { command: 'uvx', args: ['--from', 'some-tools>=1', 'serve'] },
      { command: 'serve', requirements: ['some-tools>=1'] },
    ],
    [
      'a program of the image with packages of its own',
      { command: 'python', args: ['-m', 'server'], packages: 'server==1.0\n# why\nhttpx' },
      {
        language: 'python',
        command: 'python3',
        args: ['-m', 'server'],
        requirements: ['server==1.0', 'httpx'],
      },
    ],
    [
      'node',
      { command: 'node', args: ['server.js'] },
      { language: 'javascript', command: 'node', requirements: [] },
    ],
    [
      'variables as JSON text; numbers and switches are texts there',
      { command: 'node', env: '{"A": "x", "B": 2, "C": true}' },
      { variables: { A: 'x', B: '2', C: 'true' } },
    ],
  ])('%s', (_, connection, expected) => {
    expect(read(connection)).toMatchObject(expected);
  });

  test('§8.4: a program has a network only when its connection says so', () => {
    expect(read({ command: 'npx some-server' }).allow_network).toBe(false);
    expect(read({ command: 'npx some-server', allowNetwork: true }).allow_network).toBe(true);
  });

  test.each<[string, JsonObject, string, string]>([
    ['no command', {}, 'connection.command', 'is empty'],
    ['npx without a package', { command: 'npx', args: ['-y'] }, 'connection.args', 'name no package'],
    [
      'an option that would run something else',
      { command: 'npx', args: ['-c', 'rm'] },
      'connection.args',
      'has the option "-c"',
    ],
    [
      'a package from an address',
      { command: 'uvx', args: ['--from', 'git+https://example.com/x', 'x'] },
      'connection.args',
      'addresses are not taken',
    ],
    [
      'a package that is a file',
      { command: 'npx', args: ['./server'] },
      'connection.args',
      'files and addresses',
    ],
    [
      'packages that are options',
      { command: 'node', packages: '--registry=x' },
      'connection.packages',
      'options',
    ],
    [
      'arguments that are no texts',
      { command: 'node', args: [{}] },
      'connection.args',
      'must be a list of texts',
    ],
    [
      'arguments that are broken JSON',
      { command: 'node', args: '["a"' },
      'connection.args',
      'is not valid JSON',
    ],
    ['an open quote', { command: 'node', args: "'a" }, 'connection.args', 'never closed'],
    ['variables that are a list', { command: 'node', env: '[1]' }, 'connection.env', 'must be an object'],
    [
      'a variable that cannot have that name',
      { command: 'node', env: { 'A B': 'x' } },
      'connection.env',
      'the name of a variable',
    ],
    [
      'a variable that is no text',
      { command: 'node', env: { A: {} } },
      'connection.env',
      '"A" must be a text',
    ],
    [
      'gigantic arguments',
      { command: 'node', args: ['x'.repeat(200_000)] },
      'connection.args',
      'more than 100000 characters',
    ],
  ])('refused with its field: %s', (_, connection, field, words) => {
    expect(catchFailure(connection)).toMatchObject({
      kind: 'params',
      field,
      message: expect.stringContaining(words),
      final: true,
    });
  });
});
