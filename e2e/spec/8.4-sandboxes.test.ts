import { chatStream, type FakeProvider, startFakeProvider } from '@millrace/models/testing';
import {
  createTestApp,
  createWorkflow,
  graph,
  storeModelCredential,
  type TestApp,
  type TestUser,
} from '@millrace/server/testing';
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

  it.each(['python', 'javascript', 'typescript'])('the Code node fails closed (%s)', async (codeLanguage) => {
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

/** Of a process that serves: the first one is what code may see. */
const VARIABLES = {
  LANG: 'de_DE.UTF-8',
  DATABASE_URL: 'postgres://canary',
  SECRET_KEY: 'canary-secret',
  ENCRYPTION_KEY: 'canary-encryption',
  OPENAI_API_KEY: 'canary-provider',
  GOOGLE_CLIENT_SECRET: 'canary-oauth',
};

describe.skipIf(!hasSandboxEngine)('§8.4: the Code node on a real container engine', () => {
  let app: TestApp;
  let user: TestUser;
  beforeAll(async () => {
    app = await createTestApp({ env: sandboxSettings, variables: VARIABLES });
    user = await app.user();
  });
  afterAll(() => app.close());

  it('runs Python, JavaScript and TypeScript with values of the workflow', async () => {
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
    const typescript = await execute(user, {
      codeLanguage: 'typescript',
      codeSource:
        'interface Values { text: string; n: number }\n' +
        'function main({ text, n }: Values): object {\n  return { said: text as string, n: n + 3 };\n}',
      codeParameters,
    });
    expect(typescript.done).toMatchObject({ outputs: { out: { result: { said: 'hi', n: 23 } } } });
  });

  it('withholds database address, keys and every other variable of the service', async () => {
    const codeSource = 'import os\ndef main(params):\n    return dict(os.environ)';
    const { text } = await execute(user, { codeSource });
    expect(text).toContain('de_DE.UTF-8');
    expect(text).not.toMatch(/canary|DATABASE_URL|SECRET_KEY|ENCRYPTION_KEY|OPENAI_API_KEY|CLIENT_SECRET/);
  });

  const SUMS: Record<string, string> = {
    python: `import os
def main(params):
    numbers = [int(line) for name in os.listdir(_INPUT_DIR) for line in open(os.path.join(_INPUT_DIR, name))]
    with open(os.path.join(_OUTPUT_DIR, "sum.txt"), "w") as file:
        file.write(str(sum(numbers)))
    return os.listdir(_INPUT_DIR)`,
    javascript: `const fs = require('node:fs');
function main() {
  const names = fs.readdirSync(_INPUT_DIR);
  const numbers = names.flatMap((name) => fs.readFileSync(_INPUT_DIR + '/' + name, 'utf8').trim().split('\\n').map(Number));
  fs.writeFileSync(_OUTPUT_DIR + '/sum.txt', String(numbers.reduce((sum, n) => sum + n, 0)));
  return names;
}`,
  };
  SUMS['typescript'] = `declare const _INPUT_DIR: string, _OUTPUT_DIR: string;\n${SUMS['javascript']}`;

  it.each(Object.entries(SUMS))(
    'takes files of the Drive and leaves files there (%s)',
    async (language, source) => {
      const driveBase64Content = Buffer.from('40\n2\n').toString('base64');
      const save = { driveOperation: 'save', driveFilename: 'numbers.txt', driveBase64Content };
      const data = { codeLanguage: language, codeSource: source, codeFiles: '$file' };
      const id = await createWorkflow(
        user,
        graph(
          [
            ['start', 'textInput'],
            ['file', 'drive', save],
            ['work', 'code', data],
            ['out', 'output', { message: '$work' }],
          ],
          ['start>file', 'file>work', 'work>out'],
        ),
      );
      const answer = await user.call('POST', `/api/workflows/${id}/execute`, { text: 'hi' });
      const { result } = answer.json<Done>().outputs['out'] ?? {};
      expect(result, answer.body).toMatchObject({
        result: ['numbers.txt'],
        _generated_files: [{ filename: 'sum.txt', mime_type: 'text/plain', size_bytes: 2 }],
      });
      const { _generated_files: generated } = result as { _generated_files: { download_url: string }[] };
      const url = new URL(generated[0]?.download_url ?? '', 'https://test.example');
      expect((await user.call('GET', url.pathname)).body).toBe('42');
    },
  );

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

  /** The answer of the agent, which is what the tool has returned. */
  async function probe(env: Record<string, string>, code: string) {
    const app = await createTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true', ...env } });
    try {
      const user = await app.user();
      const credentialId = await storeModelCredential(user, server.url);
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

describe('§8.4: skills of an agent', () => {
  let server: FakeProvider;
  beforeAll(async () => {
    server = await startFakeProvider((call) => {
      const messages = call.body?.['messages'] as { role: string; content: unknown }[];
      const result = messages.find(({ role }) => role === 'tool');
      const use = { id: 'use_1', name: 'skill_report', arguments: '{"input": "{\\"rows\\": 2}"}' };
      return { chunks: result ? chatStream([readMarked(result.content)]) : chatStream([], { tools: [use] }) };
    });
  });
  afterAll(() => server.stop());

  /** The result of the script, which the model reads between marks: it may come from strangers. */
  const readMarked = (content: unknown): string =>
    /^<data tool="skill_report">\n([^]*)\n<\/data>$/.exec(String(content))?.[1] ?? 'not marked';

  /** Gives `use` the result of an agent with that script, as an export of the reference family has it. */
  async function withSkill(
    env: Record<string, string>,
    source: string,
    use: (found: { done: Done; text: string; user: TestUser; app: TestApp }) => unknown,
  ) {
    const app = await createTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true', ...env } });
    try {
      const user = await app.user();
      const credentialId = await storeModelCredential(user, server.url);
      const files = [
        { path: 'main.py', content: source, encoding: 'text', mimeType: 'text/x-python' },
        { path: 'data/head.bin', content: 'AAEC', encoding: 'base64', mimeType: 'application/octet-stream' },
      ];
      const content = 'Costs $5. Write reports with `rows`: $start.text stays as it is.';
      const skills = [{ id: 's1', name: 'report', content, files, timeoutSeconds: 20 }];
      const id = await createWorkflow(
        user,
        graph(
          [
            ['start', 'textInput'],
            ['lead', 'agent', { credentialId, model: 'm1', userMessage: 'Go', skills }],
            ['out', 'output', { message: '$lead' }],
          ],
          ['start>lead', 'lead>out'],
        ),
      );
      const answer = await user.call('POST', `/api/workflows/${id}/execute`, { text: 'hi' });
      await use({ done: answer.json<Done>(), text: answer.body, user, app });
      const asked = JSON.stringify(server.seen.at(-1)?.body);
      expect(asked).toContain('$start.text stays as it is');
    } finally {
      await app.close();
    }
  }

  const REPORT = `import json, os, sys
asked = json.load(sys.stdin)
with open(os.path.join(_OUTPUT_DIR, "report.csv"), "wb") as file:
    file.write(open("data/head.bin", "rb").read() * asked["rows"])
open("notes.txt", "w").write("a note")
print(json.dumps({"rows": asked["rows"], "uid": os.getuid()}))`;

  it.skipIf(!hasSandboxEngine).each(['auto', 'docker', 'subprocess'])(
    'run in a container with a folder of their own, and their files are in the Drive (%s)',
    async (mode) => {
      const env = { ...sandboxSettings, PLATFORM_PYTHON_TOOL_SANDBOX: mode };
      await withSkill(env, REPORT, async ({ done, user }) => {
        const output = done.outputs['out']?.result as {
          text: string;
          _generated_files: { download_url: string }[];
        };
        expect(JSON.parse(output.text)).toMatchObject({
          rows: 2,
          uid: 65_532,
          _generated_files: [{ filename: 'report.csv', size_bytes: 6 }],
        });
        const { _generated_files: generated } = output;
        const url = new URL(generated[0]?.download_url ?? '', 'https://test.example');
        const download = await user.call('GET', url.pathname);
        expect([...download.rawPayload]).toEqual([0, 1, 2, 0, 1, 2]);
      });
    },
  );

  it.skipIf(!hasSandboxEngine)(
    'connect through the service, whose reason for no connection the model reads',
    async () => {
      // Its own machine is asked without the proxy otherwise.
      const source = `import os, urllib.request
os.environ["no_proxy"] = os.environ["NO_PROXY"] = ""
urllib.request.urlopen("http://127.0.0.1:9/")`;
      await withSkill(sandboxSettings, source, ({ done }) => {
        const output = done.outputs['out']?.result as { text: string };
        expect(output.text).toMatch(/HTTP Error 502: .*127\.0\.0\.1:9/);
      });
    },
  );

  it.skipIf(!hasSandboxEngine)(
    'have a workspace that all scripts of one run share, and no other run',
    async () => {
      const app = await createTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true', ...sandboxSettings } });
      try {
        const user = await app.user();
        const content = `import os
path = os.path.join(_WORKSPACE_DIR, "uses.txt")
uses = int(open(path).read()) + 1 if os.path.exists(path) else 1
open(path, "w").write(str(uses))
print(uses)`;
        const files = [{ path: 'main.py', content, encoding: 'text' }];
        const agent = {
          credentialId: await storeModelCredential(user, server.url),
          model: 'm1',
          userMessage: 'Go',
          skills: [{ name: 'report', content: 'Counts.', files }],
        };
        const id = await createWorkflow(
          user,
          graph(
            [
              ['start', 'textInput'],
              ['first', 'agent', agent],
              ['second', 'agent', agent],
              ['out', 'output', { message: '$first.text + $second.text' }],
            ],
            ['start>first', 'first>second', 'second>out'],
          ),
        );
        for (const run of ['the first run', 'the second run']) {
          const answer = await user.call('POST', `/api/workflows/${id}/execute`, { text: 'hi' });
          expect(answer.json<Done>().outputs, run).toEqual({ out: { result: '12' } });
        }
      } finally {
        await app.close();
      }
    },
  );

  it.skipIf(!hasSandboxEngine)('an error of the script goes to the model', async () => {
    await withSkill(sandboxSettings, 'raise ValueError("no rows")', ({ done }) => {
      expect(done.status).toBe('success');
      expect(done.outputs['out']?.result).toMatchObject({
        text: expect.stringContaining('ValueError: no rows'),
      });
    });
  });

  it.each(['auto', 'docker', 'subprocess'])(
    '§7: fail closed without a container engine (%s)',
    async (mode) => {
      const env = { DOCKER_HOST: 'unix:///nowhere.sock', PLATFORM_PYTHON_TOOL_SANDBOX: mode };
      await withSkill(env, REPORT, ({ done, text }) => {
        expect(done.status).toBe('error');
        expect(text).toContain('no container engine can be reached');
        expect(text).toContain('DOCKER_HOST');
      });
    },
  );
});
