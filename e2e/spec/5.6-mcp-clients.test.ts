import { createWorkflow, graph, shareTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
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
/** A server of the user as clients see it. */
interface Server {
  readonly path: string;
  readonly streamable: string;
  readonly key: string;
}
const servers: Partial<Record<'default' | 'named', Server>> = {};

beforeAll(async () => {
  app = await shareTestApp();
  base = await app.listen();
  user = await app.user();
  const made = await user.call('POST', '/api/mcp/regenerate-key');
  const { mcp_api_key: key } = made.json<{ mcp_api_key: string }>();
  servers.default = { path: '/api/mcp', streamable: '/api/mcp', key };
  const named = await user.call('POST', '/api/mcp/servers', { name: 'Two tools' });
  const { id, mcp_api_key } = named.json<{ id: string; mcp_api_key: string }>();
  const path = `/api/mcp/servers/${id}`;
  servers.named = { path, streamable: `${path}/mcp`, key: mcp_api_key };
  for (const [name, duration] of [
    ['Echo', 300],
    ['Waits', 20_000],
  ] as const) {
    const workflow_id = await createWorkflow(user, waitFor(duration), { name, mcp_enabled: true });
    await user.call('PATCH', `${path}/workflows/${workflow_id}`, { enabled: true });
  }
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

/** The methods that both generations of the official client have in common. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string; annotations?: object | undefined }[] }>;
  callTool(request: { name: string; arguments: object }, options?: object): Promise<object>;
  close(): Promise<void>;
}

const options = ({ key }: Server) => ({ requestInit: { headers: { 'x-mcp-key': key } } });
const atSse = (server: Server) => [new URL(`${server.path}/sse`, base), options(server)] as const;
const atStreamable = (server: Server) => [new URL(server.streamable, base), options(server)] as const;

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

type Connect = (server: Server) => Promise<AnyClient>;
const CLIENTS: readonly (readonly [string, Connect])[] = [
  ['first generation, event stream', (server) => oldClient(new OldSse(...atSse(server)))],
  ['first generation, streamable HTTP', (server) => oldClient(new OldHttp(...atStreamable(server)))],
  [
    'first generation, streamable HTTP at the older address',
    (server) => oldClient(new OldHttp(...atSse(server))),
  ],
  ['second generation, event stream', (server) => newClient(new NewSse(...atSse(server)))],
  ['second generation, streamable HTTP', (server) => newClient(new NewHttp(...atStreamable(server)))],
  ['second generation, newest protocol', (server) => newClient(new NewHttp(...atStreamable(server)), 'auto')],
];
const CASES = (['default', 'named'] as const).flatMap((which) =>
  CLIENTS.map(([title, connect]) => [which, title, connect] as const),
);

const bound = (client: OldClient | NewClient) => ({
  listTools: () => client.listTools() as ReturnType<AnyClient['listTools']>,
  close: () => client.close(),
});

describe.each(CASES)('§5.6 the %s server with the official client: %s', (which, _, connectTo) => {
  const connect = () => {
    const server = servers[which];
    if (!server) throw new Error(`the ${which} server was not made`);
    return connectTo(server);
  };

  it('finds the tools and calls one, with progress', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'waits', 'get_run_result']);
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
    const running = () => Array.from(app.services.execution.live.all).length;
    const call = client.callTool({ name: 'waits', arguments: {} }, { signal: leaving.signal });
    call.catch(() => undefined);
    await expect.poll(running, { timeout: 10_000 }).toBe(1);
    leaving.abort();
    await expect(call).rejects.toBeDefined();
    await expect.poll(running, { timeout: 10_000 }).toBe(0);
    await client.close();
  });
});
