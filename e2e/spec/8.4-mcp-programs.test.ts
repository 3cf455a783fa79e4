import { createTestApp, createWorkflow, graph, type TestApp, type TestUser } from '@millrace/server/testing';
import { hasSandboxEngine, sandboxSettings } from '@millrace/server/testing/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A server of the protocol in Python that knows one tool, which reads a variable of its environment. */
const SERVER = String.raw`
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message["method"]
    if method == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "probe", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "token", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]}
    else:
        token = os.environ.get("TOKEN", "")
        print("asked with", token, file=sys.stderr)
        result = {"content": [{"type": "text", "text": json.dumps({"length": len(token), "said": token})}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
`;
// Arguments as JSON text, as exports have them.
const CONNECTION = {
  transport: 'stdio',
  label: 'probe',
  command: 'python',
  args: JSON.stringify(['-c', SERVER]),
};

const calling = (connection: object) =>
  graph(
    [
      ['start', 'textInput'],
      ['ask', 'mcpCall', { connection, selectedTool: 'token' } as never],
      ['out', 'output', { message: '$ask.result' }],
    ],
    ['start>ask', 'ask>out'],
  );

async function run(user: TestUser, connection: object) {
  const id = await createWorkflow(user, calling(connection));
  return user.call('POST', `/api/workflows/${id}/execute`, { text: 'hi' });
}

describe('§8.4: without a container engine', () => {
  let app: TestApp;
  afterAll(() => app.close());

  it('a server that is a program fails the node and the list of tools, and the error names the fix', async () => {
    app = await createTestApp({ env: { DOCKER_HOST: 'unix:///canary-folder/docker.sock' } });
    const user = await app.user();
    const done = await run(user, CONNECTION);
    expect(done.json()).toMatchObject({ status: 'error' });
    const listed = await user.call('POST', '/api/mcp/fetch-tools', { connection: CONNECTION });
    expect(listed.statusCode).toBe(422);
    for (const { body } of [done, listed]) {
      expect(body).toContain('set DOCKER_HOST');
      expect(body).not.toContain('canary-folder');
    }
  });
});

describe.skipIf(!hasSandboxEngine)('§8.4: MCP servers that are programs on a real container engine', () => {
  let app: TestApp;
  let user: TestUser;
  beforeAll(async () => {
    app = await createTestApp({ env: sandboxSettings });
    user = await app.user();
  });
  afterAll(() => app.close());

  it('§2.7: are called with a credential in their environment, which is hidden in the result', async () => {
    const config = { bearer_token: 'canary-token' };
    await user.call('POST', '/api/credentials', { name: 'probe', type: 'bearer', config });
    const done = await run(user, { ...CONNECTION, env: { TOKEN: '$credentials.probe' } });
    expect(done.json()).toMatchObject({ status: 'success', outputs: { out: { result: { length: 12 } } } });
    expect(done.body).not.toContain('canary-token');
  });

  it('run whole from an export', async () => {
    const exported = calling({
      id: 'x',
      ...CONNECTION,
      timeoutSeconds: 30,
      url: '',
      headers: {},
      env: '{"TOKEN": "abc"}',
    });
    const made = await user.call('POST', '/api/workflows/import', {
      document: { name: 'Exported', ...exported },
    });
    const { id } = made.json<{ workflow: { id: string } }>().workflow;
    const done = await user.call('POST', `/api/workflows/${id}/execute`, { text: 'hi' });
    expect(done.json()).toMatchObject({ status: 'success', outputs: { out: { result: { said: 'abc' } } } });
  });

  it('list their tools for the editor', async () => {
    const listed = await user.call('POST', '/api/mcp/fetch-tools', { connection: CONNECTION });
    expect(listed.json()).toMatchObject({ tools: [{ name: 'token', annotations: { readOnlyHint: true } }] });
  });

  it('a command that is not there is named with its field', async () => {
    const done = await run(user, { transport: 'stdio', command: 'docker', args: ['run', 'x'] });
    expect(done.body).toContain('connection.command');
    expect(done.body).toContain('which is not in the container');
  });
});
