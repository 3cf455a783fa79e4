import type { JsonObject } from '@millrace/engine';
import { afterEach, describe, expect, test } from 'vitest';
import type { Egress } from '../services.ts';
import { streamingEgress } from '../testing/real-egress.ts';
import { type Situation, traceNode } from '../testing/run-node.ts';
import { type McpTestServer, startMcpServer } from '../testing/servers/mcp-server.ts';
import { runMcpCall } from './run.ts';

const PATIENCE = { timeout: 10_000 };
const servers: McpTestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function started(options: Parameters<typeof startMcpServer>[0] = {}): Promise<McpTestServer> {
  const server = await startMcpServer(options);
  servers.push(server);
  return server;
}

const call = (connection: JsonObject, data: JsonObject, { services, ...situation }: Situation = {}) =>
  traceNode(
    'mcpCall',
    { connection, ...data },
    {
      inputs: { start: { text: 'Hello', n: 2, list: [1], yes: true } },
      ...situation,
      services: { http: streamingEgress(), now: Date.now, ...services },
    },
  );

const TRANSPORTS = [
  ['streamable HTTP', ({ url }: McpTestServer) => ({ transport: 'streamable_http', url })],
  ['event streams', ({ sse_url }: McpTestServer) => ({ transport: 'sse', url: sse_url })],
] as const;

describe.each(TRANSPORTS)('a server that speaks %s', (_, at) => {
  test('is asked with evaluated arguments of the types that the tool takes; structured content is the result', async () => {
    const server = await started();
    const data = { selectedTool: 'add', toolArguments: { a: '$start.n', b: '5', exact: '$start.yes' } };
    const { result, trace } = await call(at(server), data);
    expect(result).toEqual({ output: { result: { sum: 7, exact: true } } });
    expect(trace.steps).toEqual(['tool', 'call']);
  });

  test('an error of the tool fails the node with the words of the server', async () => {
    const server = await started();
    const { result } = await call(at(server), { selectedTool: 'fail' });
    expect(result).toEqual({
      failure: { kind: 'upstream', message: 'The tool "fail" failed: the shelf is empty' },
    });
  });

  test('a cancelled run cancels the call at the server', async () => {
    const server = await started();
    const leaving = new AbortController();
    const running = call(
      at(server),
      { selectedTool: 'slow', toolArguments: { ms: '30000' } },
      { signal: leaving.signal },
    );
    await expect.poll(() => server.slow.running, PATIENCE).toBe(1);
    leaving.abort();
    expect((await running).result).toMatchObject({ failure: { kind: 'cancelled' } });
    await expect.poll(() => server.slow, PATIENCE).toEqual({ running: 0, cancelled: 1 });
  });

  test('a server that takes longer than the time limit fails the node, and the call is cancelled there', async () => {
    const server = await started();
    const { result } = await call(at(server), {
      selectedTool: 'slow',
      toolArguments: { ms: '30000' },
      timeoutSeconds: 1,
    });
    expect(result).toMatchObject({
      failure: {
        kind: 'timeout',
        message: expect.stringMatching(/^The MCP server 127\.0\.0\.1:\d+ did not answer within 1 s$/),
      },
    });
    await expect.poll(() => server.slow.cancelled, PATIENCE).toBe(1);
  });

  test('progress and log messages of the server are handed on', async () => {
    const server = await started();
    const told: unknown[] = [];
    const { result, trace } = await call(
      at(server),
      { selectedTool: 'slow', toolArguments: { ms: '10' } },
      { onProgress: (progress) => void told.push(progress) },
    );
    expect(result).toEqual({ output: { result: 'done' } });
    expect(told).toMatchObject([{ progress: 1, total: 2, message: 'half of it' }]);
    expect(trace.logged).toContainEqual({ level: 'info', message: 'began' });
  });

  test('a token that the server refuses is a problem of the sign-in', async () => {
    const server = await started({ token: 'right' });
    const headers = { Authorization: 'Bearer wrong-canary' };
    const { result } = await call({ ...at(server), headers }, { selectedTool: 'say' });
    expect(result).toMatchObject({
      failure: { kind: 'credential', message: expect.stringContaining('refused the sign-in (status 401)') },
    });
    expect(JSON.stringify(result)).not.toContain('wrong-canary');
  });

  test('an address without an MCP server, and a server with a problem, are told apart', async () => {
    const nowhere = await started({ status: 404 });
    const broken = await started({ status: 500 });
    expect((await call(at(nowhere), { selectedTool: 'say' })).result).toMatchObject({
      failure: { kind: 'upstream', message: expect.stringContaining('has no MCP endpoint') },
    });
    expect((await call(at(broken), { selectedTool: 'say' })).result).toMatchObject({
      failure: { kind: 'upstream', message: expect.stringContaining('500') },
    });
  });
});

describe('what a tool answers', () => {
  test.each([
    ['text', 'plain', 'plain'],
    ['JSON', '{"a": [1]}', { a: [1] }],
    ['a number', '12.5', 12.5],
    ['a number that JSON would round', '12345678901234567890', '12345678901234567890'],
  ])('%s', async (_, words, result) => {
    const server = await started();
    const data = { selectedTool: 'say', toolArguments: { words: '$start.words' } };
    const done = await call({ url: server.url }, data, { inputs: { start: { words } } });
    expect(done.result).toEqual({ output: { result } });
  });

  test('parts other than text stay a list', async () => {
    const server = await started();
    const { result } = await call({ url: server.url }, { selectedTool: 'picture' });
    expect(result).toEqual({
      output: {
        result: [
          { type: 'text', text: 'a dot' },
          { type: 'image', data: 'AA==', mimeType: 'image/png' },
        ],
      },
    });
  });
});

describe('arguments', () => {
  test.each([
    ['one that is missing', { a: '1' }, 'toolArguments.b', 'is required by the tool; enter a value'],
    ['one that is empty', { a: '1', b: '' }, 'toolArguments.b', 'is required'],
    ['one of another type', { a: '1', b: 'many' }, 'toolArguments', '"b" must be integer'],
    ['one out of bounds', { a: '1', b: '101' }, 'toolArguments', '"b" must be <= 100'],
  ])('%s is refused before the tool is called', async (_, toolArguments, field, words) => {
    const server = await started();
    const { result, trace } = await call({ url: server.url }, { selectedTool: 'add', toolArguments });
    expect(result).toMatchObject({
      failure: { kind: 'params', field, message: expect.stringContaining(words), final: true },
    });
    expect(trace.steps).toEqual(['tool']);
  });

  test('an optional one that is empty is left out', async () => {
    const server = await started();
    const data = { selectedTool: 'add', toolArguments: { a: '1', b: '2', exact: '' } };
    expect((await call({ url: server.url }, data)).result).toMatchObject({
      output: { result: { exact: false } },
    });
  });

  test('an unknown tool is refused, and the message names those that there are', async () => {
    const server = await started();
    const { result } = await call({ url: server.url }, { selectedTool: 'nowhere' });
    expect(result).toMatchObject({
      failure: {
        kind: 'params',
        field: 'selectedTool',
        message:
          'Tool (selectedTool): the server has no tool "nowhere"; it has add, say, note, fail, picture, slow',
      },
    });
  });
});

describe('connections', () => {
  test('a credential holds the address, the token and a header; a session is ended with its call', async () => {
    const server = await started({ token: 'right' });
    const values = {
      mcp_url: server.url,
      mcp_transport: 'streamable_http',
      mcp_token: 'right',
      mcp_header_key: 'X-Team',
      mcp_header_value: 'blue',
    };
    const data = { credentialId: 'c', selectedTool: 'say', toolArguments: { words: 'hi' } };
    const credential = (id: string) => Promise.resolve({ id, name: 'm', type: 'mcp', values });
    const { result } = await call({}, data, { services: { credential } });
    expect(result).toEqual({ output: { result: 'hi' } });
    expect(server.headers.every((headers) => headers['x-team'] === 'blue')).toBe(true);
    expect(server.sessions.size).toBe(0);
  });

  test('values of a connection may be expressions; headers may be JSON text', async () => {
    const server = await started({ token: 'right' });
    const connection = { url: '$start.at', headers: '{"Authorization": "Bearer right"}' };
    const data = { selectedTool: 'say', toolArguments: { words: 'hi' } };
    const { result } = await call(connection, data, { inputs: { start: { at: server.url } } });
    expect(result).toEqual({ output: { result: 'hi' } });
  });

  test.each([
    ['an object', { Authorization: 'Bearer $credentials.tools' }],
    ['JSON text', '{"Authorization": "Bearer $credentials.tools"}'],
  ])('§2.7: headers of a connection read credentials, as %s', async (_shape, headers) => {
    const server = await started({ token: 'right' });
    const data = { selectedTool: 'say', toolArguments: { words: 'hi' } };
    const { result } = await call({ url: server.url, headers }, data, {
      names: { credentials: { tools: 'right' } },
    });
    expect(result).toEqual({ output: { result: 'hi' } });
  });

  test.each([
    ['none', {}, 'params', 'choose a credential or enter the URL'],
    ['a program without a package', { transport: 'stdio', command: 'npx' }, 'params', 'name no package'],
    ['no address', { url: 'nowhere' }, 'params', 'is not a valid address'],
    [
      'a user name in the address',
      { url: 'https://me:secret@example.com' },
      'params',
      'must not contain a user name',
    ],
    [
      'headers that break the line',
      { url: 'https://example.com', headers: { a: 'b\r\nc: d' } },
      'params',
      'cannot be sent',
    ],
    [
      'headers that are no object',
      { url: 'https://example.com', headers: '[1]' },
      'params',
      'must be an object',
    ],
  ])('%s is refused in words', async (_, connection, kind, words) => {
    const { result, trace } = await call(connection, { selectedTool: 'say' });
    expect(result).toMatchObject({ failure: { kind, message: expect.stringContaining(words), final: true } });
    expect(trace.steps).toEqual([]);
  });

  test('a refusal of the way out keeps its words', async () => {
    const { NodeFailure } = await import('@millrace/engine');
    const http: Egress = {
      ...streamingEgress(),
      request: () =>
        Promise.reject(
          new NodeFailure({ kind: 'upstream', message: 'its address is not public', final: true }),
        ),
    };
    for (const transport of ['streamable_http', 'sse']) {
      const { result } = await call(
        { transport, url: 'http://10.0.0.1/' },
        { selectedTool: 'say' },
        { services: { http } },
      );
      expect(result).toMatchObject({ failure: { message: 'its address is not public', final: true } });
    }
  });
});

test('the connection test lists tools and calls none', async () => {
  const server = await started({ token: 'right' });
  const caller = {
    http: streamingEgress(),
    now: Date.now,
    sleepUntil: () => Promise.resolve(),
    signal: new AbortController().signal,
    max_wait_ms: 0,
    idempotency_key: '',
  };
  const config = { mcp_url: server.url, mcp_token: 'right' };
  const test = runMcpCall.connections['mcp'];
  await test?.({ caller, config });
  await expect(test?.({ caller, config: { ...config, mcp_token: 'no' } })).rejects.toThrow(
    'refused the sign-in',
  );
  expect(server.notes).toEqual([]);
  expect(server.sessions.size).toBe(0);
});
