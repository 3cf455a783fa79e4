import { createTestApp, createWorkflow, graph, type TestApp, type TestUser } from '@millrace/server/testing';
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewHttp,
  SSEClientTransport as NewSse,
} from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as OldSse } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let app: TestApp;
let user: TestUser;
let base: string;
let headers: Record<string, string>;
beforeAll(async () => {
  app = await createTestApp();
  base = await app.app.listen({ port: 0 });
  user = await app.user();
  const made = await user.call('POST', '/api/mcp/regenerate-key');
  headers = { 'x-mcp-key': made.json<{ mcp_api_key: string }>().mcp_api_key };
  await createWorkflow(user, waitFor(300), { name: 'Echo', mcp_enabled: true });
  await createWorkflow(user, waitFor(20_000), { name: 'Waits', mcp_enabled: true });
}, 60_000);
afterAll(async () => {
  // Clients open connections in advance, on which no request ever comes.
  app.app.server.closeAllConnections();
  await app.close();
});

const waitFor = (duration: number) =>
  graph(
    [
      ['start', 'textInput'],
      ['wait', 'wait', { duration }],
      ['out', 'output', { message: '$start.body.text' }],
    ],
    ['start>wait', 'wait>out'],
  );
const INFO = { name: 'test', version: '1' };
const url = (path: string) => new URL(`/api/mcp${path}`, base);

/** What both generations of the official client have in common. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string; annotations?: object | undefined }[] }>;
  callTool(request: { name: string; arguments: object }, options?: object): Promise<object>;
  close(): Promise<void>;
}

const options = () => ({ requestInit: { headers } });

async function oldClient(transport: OldSse | OldHttp): Promise<AnyClient> {
  const client = new OldClient(INFO);
  await client.connect(transport);
  return { ...bound(client), callTool: (call, more) => client.callTool(call as never, undefined, more) };
}

async function newClient(transport: NewSse | NewHttp, mode?: 'auto'): Promise<AnyClient> {
  const client = new NewClient(INFO, mode ? { versionNegotiation: { mode } } : {});
  await client.connect(transport);
  return { ...bound(client), callTool: (call, more) => client.callTool(call as never, more) };
}

const CLIENTS: readonly (readonly [string, () => Promise<AnyClient>])[] = [
  ['first generation, event stream', () => oldClient(new OldSse(url('/sse'), options()))],
  ['first generation, streamable HTTP', () => oldClient(new OldHttp(url(''), options()))],
  [
    'first generation, streamable HTTP at the older address',
    () => oldClient(new OldHttp(url('/sse'), options())),
  ],
  ['second generation, event stream', () => newClient(new NewSse(url('/sse'), options()))],
  ['second generation, streamable HTTP', () => newClient(new NewHttp(url(''), options()))],
  ['second generation, newest protocol', () => newClient(new NewHttp(url(''), options()), 'auto')],
];

const bound = (client: OldClient | NewClient) => ({
  listTools: () => client.listTools() as ReturnType<AnyClient['listTools']>,
  close: () => client.close(),
});

describe.each(CLIENTS)('§5.6 with the official client: %s', (_, connect) => {
  it('finds the tools and calls one, with progress', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'waits']);
    const told: { progress: number }[] = [];
    const onprogress = (progress: { progress: number }) => void told.push(progress);
    const result = await client.callTool({ name: 'echo', arguments: { text: 'hi' } }, { onprogress });
    expect(result).toMatchObject({ structuredContent: { out: { result: 'hi' } }, isError: false });
    expect(told.length).toBeGreaterThan(1);
    await client.close();
  });

  it('gets an error for an unknown tool', async () => {
    const client = await connect();
    await expect(client.callTool({ name: 'nowhere', arguments: {} })).rejects.toThrow('There is no tool');
    await client.close();
  });

  it('a cancellation ends the run', async () => {
    const client = await connect();
    const leaving = new AbortController();
    const running = () => Array.from(app.services.execution.environment.live.all).length;
    const call = client.callTool({ name: 'waits', arguments: {} }, { signal: leaving.signal });
    call.catch(() => undefined);
    await expect.poll(running, { timeout: 10_000 }).toBe(1);
    leaving.abort();
    await expect(call).rejects.toBeDefined();
    await expect.poll(running, { timeout: 10_000 }).toBe(0);
    await client.close();
  });
});
