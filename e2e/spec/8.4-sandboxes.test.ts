import { chatStream, type FakeProvider, startFakeProvider } from '@millrace/models/testing';
import { createTestApp, createWorkflow, graph, type TestApp, type TestUser } from '@millrace/server/testing';
import { hasPython, hasSandboxEngine, sandboxSettings } from '@millrace/server/testing/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const code = (data: Record<string, unknown>) =>
  graph(
    [
      ['start', 'textInput'],
      ['work', 'code', data as never],
      ['out', 'output', { message: '$work.result' }],
    ],
    ['start>work', 'work>out'],
  );

interface Done {
  status: string;
  outputs: Record<string, { result?: unknown; error?: string }>;
}

async function execute(user: TestUser, data: Record<string, unknown>, input: object = { text: 'hi' }) {
  const id = await createWorkflow(user, code(data));
  const answer = await user.call('POST', `/api/workflows/${id}/execute`, input);
  return { done: answer.json<Done>(), status: answer.statusCode, text: answer.body };
}

describe.each(['auto', 'docker', 'subprocess'])('§7, §8.4: without a container engine (%s)', (mode) => {
  let app: TestApp;
  let user: TestUser;
  beforeAll(async () => {
    const env = { DOCKER_HOST: 'unix:///canary-folder/docker.sock', PLATFORM_PYTHON_TOOL_SANDBOX: mode };
    app = await createTestApp({ env });
    user = await app.user();
  });
  afterAll(() => app.close());

  it.each(['python', 'javascript'])('the Code node fails closed (%s)', async (codeLanguage) => {
    const codeSource = codeLanguage === 'python' ? 'def main(p): return 1' : 'const main = () => 1';
    const { done, text } = await execute(user, { codeLanguage, codeSource });
    expect(done.status).toBe('error');
    expect(text).toContain('no container engine can be reached');
    expect(text).not.toContain('canary-folder');
  });

  it('the service is ready, and says what is missing', async () => {
    const answer = await app.call('GET', '/readyz');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      status: 'ready',
      sandbox: { status: 'unavailable', problem: expect.stringContaining('DOCKER_HOST') },
    });
  });
});

describe.skipIf(!hasSandboxEngine)('§8.4: the Code node on a real container engine', () => {
  let app: TestApp;
  let user: TestUser;
  beforeAll(async () => {
    app = await createTestApp({ env: sandboxSettings });
    user = await app.user();
  });
  afterAll(() => app.close());

  it('runs Python and JavaScript with values of the workflow', async () => {
    const codeParameters = '{"text": "$start.body.text", "n": 20}';
    const python = await execute(user, {
      codeSource: 'def main(params):\n    print("seen")\n    return {"said": params.text, "n": params.n + 1}',
      codeParameters,
    });
    expect(python.done).toMatchObject({
      status: 'success',
      outputs: { out: { result: { said: 'hi', n: 21 } } },
    });
    const javascript = await execute(user, {
      codeLanguage: 'javascript',
      codeSource: 'function main({ text, n }) {\n  return { said: text, n: n + 2 };\n}',
      codeParameters,
    });
    expect(javascript.done).toMatchObject({ outputs: { out: { result: { said: 'hi', n: 22 } } } });
  });

  it('withholds database address, keys and every other variable of the service', async () => {
    process.env['PROBE_API_KEY'] = 'canary-key';
    try {
      const codeSource = 'import os\ndef main(params):\n    return dict(os.environ)';
      const { text } = await execute(user, { codeSource });
      expect(text).toContain('PATH');
      expect(text).not.toMatch(/canary-key|DATABASE_URL|SECRET_KEY|ENCRYPTION_KEY/);
    } finally {
      delete process.env['PROBE_API_KEY'];
    }
  });

  it('an error has the line of the code, and the node keeps what was printed', async () => {
    const codeSource = 'def main(params):\n    print("before")\n    return params.missing';
    const { done, status, text } = await execute(user, { codeSource });
    expect(status).toBeLessThan(500);
    expect(done.status).toBe('error');
    expect(text).toContain("Line 3: AttributeError: params has no 'missing'");
  });

  it('/readyz names the engine as ready', async () => {
    expect((await app.call('GET', '/readyz')).json()).toMatchObject({ sandbox: { status: 'ready' } });
  });
});

describe('§8.4: Python tools of an agent', () => {
  let server: FakeProvider;
  beforeAll(async () => {
    server = await startFakeProvider((call) => {
      const messages = call.body?.['messages'] as { role: string; content: unknown }[];
      const result = messages.find(({ role }) => role === 'tool');
      const use = { id: 'use_1', name: 'probe', arguments: '{"n": 4}' };
      return { chunks: result ? chatStream([String(result.content)]) : chatStream([], { tools: [use] }) };
    });
  });
  afterAll(() => server.stop());

  /** What the agent says, which is what the tool has returned. */
  async function probe(env: Record<string, string>, code: string) {
    const app = await createTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true', ...env } });
    try {
      const user = await app.user();
      const config = { api_key: 'agent-key-1', base_url: server.url };
      const made = await user.call('POST', '/api/credentials', { name: 'model', type: 'custom', config });
      const credentialId = made.json<{ id: string }>().id;
      const parameters = { type: 'object', properties: { n: { type: 'integer' } } };
      const tools = [{ name: 'probe', description: '', parameters, code }];
      const id = await createWorkflow(
        user,
        graph(
          [
            ['start', 'textInput'],
            ['lead', 'agent', { credentialId, model: 'm1', userMessage: 'Go', tools }],
            ['out', 'output', { message: '$lead.text' }],
          ],
          ['start>lead', 'lead>out'],
        ),
      );
      const answer = await user.call('POST', `/api/workflows/${id}/execute`, { text: 'hi' });
      return { done: answer.json<Done>(), text: answer.body };
    } finally {
      await app.close();
    }
  }

  const NETWORK = `import socket, os
def probe(n):
    try:
        socket.create_connection(("192.0.2.1", 80), 1)
        reached = True
    except OSError:
        reached = False
    return {"n": n * 2, "uid": os.getuid(), "reached": reached}`;

  it.skipIf(!hasSandboxEngine).each(['auto', 'docker'])(
    'run in a container without network (%s)',
    async (mode) => {
      const env = { ...sandboxSettings, PLATFORM_PYTHON_TOOL_SANDBOX: mode };
      const { done } = await probe(env, NETWORK);
      const result = JSON.parse(String(done.outputs['out']?.result)) as unknown;
      expect(result).toEqual({ n: 8, uid: 65_532, reached: false });
    },
  );

  it.each(['auto', 'docker'])('fail closed without a container engine (%s)', async (mode) => {
    const env = { DOCKER_HOST: 'unix:///nowhere.sock', PLATFORM_PYTHON_TOOL_SANDBOX: mode };
    const { done, text } = await probe(env, 'def probe(n): return n');
    expect(done.status).toBe('error');
    expect(text).toContain('no container engine can be reached');
  });

  it.skipIf(!hasPython)('subprocess: run on the machine with an allowlist of imports', async () => {
    const env = { DOCKER_HOST: 'unix:///nowhere.sock', PLATFORM_PYTHON_TOOL_SANDBOX: 'subprocess' };
    const allowed = await probe(env, 'import math\ndef probe(n):\n    return {"root": math.sqrt(n)}');
    expect(allowed.done).toMatchObject({ outputs: { out: { result: '{"root":2}' } } });
    const refused = await probe(env, NETWORK);
    expect(refused.text).toContain('The module socket may not be imported');
  });
});
