import { type McpTestServer, startMcpServer } from '@millrace/nodes/testing/mcp-server';
import { createWorkflow, graph, shareTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let app: TestApp;
let base: string;
let user: TestUser;
let tools: McpTestServer;
beforeAll(async () => {
  app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  base = await app.listen();
  user = await app.user();
  tools = await startMcpServer({ token: 'canary-token' });
}, 60_000);
afterAll(async () => {
  await tools.close();
  app.app.server.closeAllConnections();
  await app.close();
});

const AUTHORIZED = { Authorization: 'Bearer canary-token' };
let named = 0;

async function credential(config: Record<string, string> = {}): Promise<string> {
  const body = {
    name: `mcp ${(named += 1)}`,
    type: 'mcp',
    config: { mcp_url: tools.url, mcp_token: 'canary-token', ...config },
  };
  const made = await user.call('POST', '/api/credentials', body);
  expect(made.statusCode).toBe(201);
  return made.json<{ id: string }>().id;
}

const calling = (data: Record<string, unknown>) =>
  graph(
    [
      ['start', 'textInput'],
      ['ask', 'mcpCall', data as never],
      ['out', 'output', { message: '$ask.result' }],
    ],
    ['start>ask', 'ask>out'],
  );

async function run(data: Record<string, unknown>, input: object = { text: 'hi' }) {
  const id = await createWorkflow(user, calling(data));
  const answer = await user.call('POST', `/api/workflows/${id}/execute`, input);
  return answer.json<{ status: string; outputs: Record<string, { result?: unknown; error?: string }> }>();
}

describe('§4.3 calling other MCP servers: the mcpCall node', () => {
  it.each(['streamable_http', 'sse'])('calls a tool with a stored credential (%s)', async (mcp_transport) => {
    const mcp_url = mcp_transport === 'sse' ? tools.sse_url : tools.url;
    const credentialId = await credential({ mcp_transport, mcp_url });
    const done = await run(
      {
        credentialId,
        selectedTool: 'add',
        toolArguments: { a: '$start.body.n', b: '40' },
      },
      { n: 2 },
    );
    expect(done).toMatchObject({ status: 'success', outputs: { out: { result: { sum: 42 } } } });
    expect(JSON.stringify(done)).not.toContain('canary-token');
  });

  it('calls a workflow of this service, over the newest protocol', async () => {
    const echo = graph(
      [
        ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
        ['out', 'output', { message: '$start.body.text' }],
      ],
      ['start>out'],
    );
    await createWorkflow(user, echo, { name: 'Echo', mcp_enabled: true });
    const { mcp_api_key } = (await user.call('POST', '/api/mcp/regenerate-key')).json<{
      mcp_api_key: string;
    }>();
    const connection = { url: `${base}/api/mcp`, headers: { 'X-MCP-Key': mcp_api_key } };
    const done = await run({ connection, selectedTool: 'echo', toolArguments: { text: '$start.body.text' } });
    expect(done).toMatchObject({
      status: 'success',
      outputs: { out: { result: { out: { result: 'hi' } } } },
    });
  });

  it('a tool that reports an error fails the node with its words', async () => {
    const done = await run({ credentialId: await credential(), selectedTool: 'fail' });
    expect(done.status).toBe('error');
    expect(JSON.stringify(done)).toContain('The tool \\"fail\\" failed: the shelf is empty');
  });

  it('cancelling the run cancels the call', async () => {
    const credentialId = await credential();
    const slow = calling({ credentialId, selectedTool: 'slow', toolArguments: { ms: '30000' } });
    const id = await createWorkflow(user, slow);
    const ended = user.call('POST', `/api/workflows/${id}/execute`, {});
    await expect.poll(() => tools.slow.running, { timeout: 10_000 }).toBe(1);
    const active = await user.call('GET', `/api/workflows/executions/active?workflow_id=${id}`);
    const [one] = active.json<{ execution_id: string }[]>();
    await user.call('POST', `/api/workflows/${id}/executions/${one?.execution_id}/cancel`);
    await expect.poll(() => tools.slow, { timeout: 10_000 }).toEqual({ running: 0, cancelled: 1 });
    expect((await ended).body).not.toContain('"success"');
  });
});

describe('§4.3 private addresses', () => {
  it('are refused unless the operator allows them, also when tools are listed', async () => {
    const guarded = await shareTestApp();
    const someone = await guarded.user();
    const connection = { url: tools.url, headers: AUTHORIZED };
    const listed = await someone.call('POST', '/api/mcp/fetch-tools', { connection });
    expect(listed.statusCode).toBe(422);
    expect(listed.body).toContain('its address is not public');
    const id = await createWorkflow(someone, calling({ connection, selectedTool: 'say' }));
    const done = await someone.call('POST', `/api/workflows/${id}/execute`, {});
    expect(done.body).toContain('its address is not public');
    await guarded.close();
  }, 60_000);
});

describe('POST /api/mcp/fetch-tools', () => {
  const fetchTools = (connection: object) => user.call('POST', '/api/mcp/fetch-tools', { connection });

  it.each(['credential', 'connection'])('lists the tools of a server with their schemas (%s)', async (by) => {
    const connection =
      by === 'credential' ? { credential_id: await credential() } : { url: tools.url, headers: AUTHORIZED };
    const answer = await fetchTools(connection);
    expect(answer.statusCode).toBe(200);
    const listed = answer.json<{ tools: { name: string }[] }>().tools;
    expect(listed.map(({ name }) => name)).toEqual(['add', 'say', 'note', 'fail', 'picture', 'slow']);
    expect(listed[0]).toMatchObject({
      description: 'Adds two numbers',
      inputSchema: { properties: { a: { type: 'integer' } }, required: ['a', 'b'] },
      annotations: { readOnlyHint: true },
    });
  });

  it.each([
    ['a refused token', { headers: { Authorization: 'Bearer wrong' } }, 'refused the sign-in'],
    ['no server there', { url: 'http://127.0.0.1:1/mcp' }, '127.0.0.1:1'],
    ['no address', { url: '' }, 'enter the URL'],
    ['an expression', { url: 'https://$vars.host/mcp' }, 'has expressions'],
    ['a program without a package', { transport: 'stdio', command: 'npx' }, 'name no package'],
    ['another transport', { transport: 'pigeon' }, 'must be streamable_http, sse or stdio'],
  ])('%s answers 422 with the reason', async (_, change, words) => {
    const answer = await fetchTools({ url: tools.url, headers: AUTHORIZED, ...change });
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain(words);
  });

  it('a credential of another person is not found; one of another type is refused', async () => {
    const stranger = await app.user();
    const connection = { credential_id: await credential() };
    expect((await stranger.call('POST', '/api/mcp/fetch-tools', { connection })).statusCode).toBe(404);
    const bearer = { name: 'other', type: 'bearer', config: { bearer_token: 'x' } };
    const { id } = (await user.call('POST', '/api/credentials', bearer)).json<{ id: string }>();
    expect((await fetchTools({ credential_id: id })).statusCode).toBe(422);
  });
});
