import type { JsonObject } from '@millrace/engine';
import { openMcpSession, type ProgramJob, serverOfConnection } from '@millrace/nodes/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import { catchFailure } from '../../ports/sandbox.conformance.ts';
import { MCP_PROGRAM } from '../../testing/mcp-program.ts';
import { hasSandboxEngine, sandboxOptions as options, sandboxEngine } from '../../testing/sandbox-engine.ts';
import { createContainerSandbox } from './containers/container-sandbox.ts';
import { Containers } from './containers/containers.ts';
import { INSTALLATION } from './containers/hardening.ts';

const createSandbox = (more: Partial<typeof options> = {}) =>
  createContainerSandbox({ ...options, installation: 'program-tests', ...more });
type TestSandbox = ReturnType<typeof createSandbox>;

function sessionOn(
  sandbox: TestSandbox,
  connection: JsonObject,
  more: Partial<Parameters<typeof openMcpSession>[0]> = {},
) {
  const logged: string[] = [];
  const caller = {
    http: undefined as never,
    startProgram: (job: ProgramJob) => sandbox.startProgram(job),
    now: Date.now,
    signal: new AbortController().signal,
    timeout_ms: 20_000,
    onLog: (line: string) => void logged.push(line),
    ...more,
  };
  const server = serverOfConnection({ transport: 'stdio', ...connection }, 'connection');
  return { session: openMcpSession(caller, server, 'connection.url'), logged };
}

const PROBE = { command: 'python', args: ['-c', MCP_PROGRAM] };
const use = (name: string, input: JsonObject = {}) => ({
  tool: { name, inputSchema: { type: 'object' as const } },
  input,
});

test('§8.4: without a container engine no program is started, and the error says what to do', async () => {
  const sandbox = createSandbox({ docker_host: 'unix:///nowhere/docker.sock' });
  const failure = await catchFailure(sessionOn(sandbox, PROBE).session.listTools());
  expect(failure).toMatchObject({ kind: 'sandbox', message: expect.stringContaining('set DOCKER_HOST') });
  await sandbox.close();
});

describe.skipIf(!hasSandboxEngine)('§8.4: stdio MCP servers on a real container engine', () => {
  const sandbox = createSandbox();
  afterAll(() => sandbox.close());
  const open = (connection: JsonObject = PROBE, more = {}) => sessionOn(sandbox, connection, more);
  const left = () => {
    const filters = encodeURIComponent(JSON.stringify({ label: [`${INSTALLATION}=program-tests`] }));
    return sandboxEngine.call<object[]>('GET', `/containers/json?all=1&filters=${filters}`);
  };

  test('lists its tools and answers calls in one process; its standard error is the log; nothing is left', async () => {
    const { session, logged } = open();
    expect((await session.listTools()).map(({ name }) => name)).toContain('add');
    const answer = await session.callTool(use('add', { a: 2, b: 40 }));
    expect(answer.structuredContent).toEqual({ sum: 42 });
    expect(logged).toEqual(['listening']);
    expect(await left()).toHaveLength(1);
    await session.close();
    expect(await left()).toEqual([]);
  });

  test('Node.js runs one, too', async () => {
    const script = `
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        if (id === undefined) return;
        const result = method === 'initialize'
          ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'n', version: '1' } }
          : { tools: [{ name: 'greet ' + process.env.WHO, inputSchema: { type: 'object' } }] };
        console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });`;
    const { session } = open({ command: 'node', args: ['-e', script], env: { WHO: 'Ada' } });
    expect((await session.listTools()).map(({ name }) => name)).toEqual(['greet Ada']);
    await session.close();
  });

  test('has the variables of its connection, none of the service, and no network', async () => {
    process.env['PROBE_SECRET'] = 'canary';
    const { session } = open({ ...PROBE, env: { TOKEN: 'a "b" ü' } });
    const value = async (name: string) => {
      const answer = (await session.callTool(use('env', { name }))).structuredContent as {
        value: string | null;
      };
      return answer.value;
    };
    expect(await value('TOKEN')).toBe('a "b" ü');
    expect(await value('PROBE_SECRET')).toBeNull();
    const made = await sandboxEngine.call<{ Id: string }[]>('GET', '/containers/json');
    const states = await Promise.all(
      made.map(({ Id }) =>
        sandboxEngine.call<{ HostConfig: JsonObject; Config: JsonObject }>('GET', `/containers/${Id}/json`),
      ),
    );
    expect(states.map(({ HostConfig }) => HostConfig)).toContainEqual(
      expect.objectContaining({
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        Memory: 512 * 1024 * 1024,
        PidsLimit: 256,
      }),
    );
    expect(JSON.stringify(states.map(({ Config }) => Config))).not.toContain('a \\"b');
    await session.close();
  });

  test.each([
    [
      'dies',
      'die',
      'upstream',
      'The program "python3" ended with exit code 3:\nlistening\nthe disk is on fire',
    ],
    ['floods', 'flood', 'limit', 'writes more than 10 MB to its standard output'],
    ['takes all memory', 'memory', 'limit', 'needs more than 512 MB of memory'],
  ])('a server that %s fails the call in words, and nothing is left', async (_, name, kind, words) => {
    const { session } = open();
    const failure = await catchFailure(session.callTool(use(name)));
    expect(failure).toMatchObject({ kind, message: expect.stringContaining(words) });
    await session.close();
    expect(await left()).toEqual([]);
  });

  test('a server that hangs is ended with the time of the call', async () => {
    const { session } = open(PROBE, { timeout_ms: 1_500 });
    const failure = await catchFailure(session.callTool(use('hang')));
    expect(failure).toMatchObject({
      kind: 'timeout',
      message: 'The MCP server python3 did not answer within 2 s',
    });
    await session.close();
    expect(await left()).toEqual([]);
  });

  test('a server that writes junk to its standard output is named with the first of it', async () => {
    const { session } = open(PROBE, { timeout_ms: 1_500 });
    const failure = await catchFailure(session.callTool(use('chatter')));
    expect(failure.message).toContain('no message of the protocol: "about to think"');
    await session.close();
  });

  test('a cancelled run ends the program', async () => {
    const leaving = new AbortController();
    const { session } = open(PROBE, { signal: leaving.signal });
    await session.listTools();
    const call = catchFailure(session.callTool(use('hang')));
    leaving.abort();
    expect(await call).toMatchObject({ kind: 'cancelled' });
    await expect.poll(left, { timeout: 5_000 }).toEqual([]);
  });

  test('a service that stops ends its programs and tells their callers', async () => {
    const stopping = createSandbox();
    const { session } = sessionOn(stopping, PROBE);
    await session.listTools();
    const call = catchFailure(session.callTool(use('hang')));
    await stopping.close();
    expect((await call).message).toContain('was ended, because the service stops');
    expect(await left()).toEqual([]);
  });

  test.each([
    ['docker', 'names "docker", which is not in the container: it has Python and no packages'],
    ['node nowhere.js', 'ended with exit code 1'],
  ])('a command that cannot run is refused in words: %s', async (command, words) => {
    const { session } = open({ command });
    const failure = await catchFailure(session.listTools());
    expect(failure.message).toContain(words);
    if (command === 'docker')
      expect(failure).toMatchObject({ kind: 'params', field: 'connection.command', final: true });
    expect(await left()).toEqual([]);
  });

  test('a service that dies closes the input of its programs, which ends them; their time ends all others', async () => {
    const containers = new Containers(sandboxEngine, 'program-tests');
    const open = await containers.open({
      kind: 'program',
      image: options.images.python,
      command: ['python3', '-c', 'import sys; sys.stdin.read()'],
      variables: [],
      network: 'none',
      packages: undefined,
      // Expired at once for the sweep, which adds a minute.
      timeout_ms: -60_000,
    });
    open.stream.destroy();
    expect(await open.end(10_000)).toMatchObject({ exit_code: 0 });
    await expect.poll(() => containers.sweep().then(left), { timeout: 5_000 }).toEqual([]);
  });

  test('a program that is kept leaves its place to one that waits, and both are answered', async () => {
    const narrow = createSandbox({ concurrency: 1 });
    const asked: boolean[] = [];
    const kept = sessionOn(narrow, PROBE, {
      lasting: {
        ms: 60_000,
        onCrowded: () => {
          void kept.close();
          return asked.push(true) > 0;
        },
      },
    }).session;
    await kept.listTools();
    const second = sessionOn(narrow, PROBE).session;
    expect(await second.listTools()).not.toEqual([]);
    expect(asked).toEqual([true]);
    await second.close();
    await narrow.close();
    expect(await left()).toEqual([]);
  });

  test('programs that are at work are asked again, until each that waits has a place', async () => {
    const narrow = createSandbox({ concurrency: 2 });
    let asked = 0;
    const keep = () => {
      const { session } = sessionOn(narrow, PROBE, {
        lasting: {
          ms: 60_000,
          onCrowded: () => {
            asked += 1;
            if (asked <= 4) return false;
            void session.close();
            return true;
          },
        },
      });
      return session;
    };
    const kept = [keep(), keep()];
    await Promise.all(kept.map((session) => session.listTools()));
    const waiting = [sessionOn(narrow, PROBE).session, sessionOn(narrow, PROBE).session];
    const answers = await Promise.all(waiting.map((session) => session.listTools()));
    for (const tools of answers) expect(tools).not.toEqual([]);
    expect(asked).toBeGreaterThan(4);
    for (const session of waiting) await session.close();
    await narrow.close();
    expect(await left()).toEqual([]);
  });

  test('a program that is kept may say more in all than it may in one answer', async () => {
    const { session } = open(PROBE, { lasting: { ms: 60_000, onCrowded: () => false } });
    for (let round = 0; round < 3; round++) {
      const answer = await session.callTool(use('long', { size: 4_000_000 }));
      expect((answer.structuredContent as { text: string }).text).toHaveLength(4_000_000);
    }
    await session.close();
  });

  test('more programs than there are places wait for their turn', async () => {
    const narrow = createSandbox({ concurrency: 1 });
    const first = sessionOn(narrow, PROBE).session;
    await first.listTools();
    const second = sessionOn(narrow, PROBE).session;
    const listed = second.listTools();
    expect(await left()).toHaveLength(1);
    await first.close();
    expect(await listed).not.toEqual([]);
    await second.close();
    await narrow.close();
  });
});
