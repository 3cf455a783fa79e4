import { type JsonObject, NodeFailure } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { type Situation, traceNode } from '../testing/run-node.ts';
import { type Stage, scriptedPrograms } from '../testing/scripted/scripted-program.ts';

const TOOLS = {
  tools: [
    {
      name: 'add',
      inputSchema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      annotations: { readOnlyHint: true },
    },
  ],
};
const CONNECTION = { transport: 'stdio', command: 'npx', args: ['-y', 'some-server'] };

/** Lists the tools, and does with a call what the test says. */
const serving = (onCall: (stage: Stage) => void) =>
  scriptedPrograms((stage) => {
    if (stage.message['method'] === 'tools/list') stage.answer(TOOLS);
    else onCall(stage);
  });

async function call(
  programs: ReturnType<typeof scriptedPrograms>,
  {
    connection = CONNECTION,
    data = {},
    ...situation
  }: Situation & { connection?: JsonObject; data?: JsonObject } = {},
) {
  const done = await traceNode(
    'mcpCall',
    { connection, selectedTool: 'add', toolArguments: { a: '$start.n' }, ...data },
    {
      inputs: { start: { n: 2 } },
      ...situation,
      services: { startProgram: programs.startProgram, now: Date.now, ...situation.services },
    },
  );
  // No program may be left running, whether the call succeeded or failed.
  expect(programs.running.count).toBe(0);
  return done;
}

const sum = ({ answer }: Stage) => answer({ content: [], structuredContent: { sum: 3 } });

describe('§8.4: an MCP server that is a program', () => {
  test('is started with its packages, asked, and ended with the call', async () => {
    const programs = serving(sum);
    const { result, trace } = await call(programs);
    expect(result).toEqual({ output: { result: { sum: 3 } } });
    expect(trace.steps).toEqual(['tool', 'call']);
    expect(programs.jobs).toHaveLength(1);
    expect(programs.jobs[0]).toMatchObject({
      main_of: 'some-server',
      requirements: ['some-server'],
      allow_network: false,
    });
    expect(programs.messages.at(-1)).toMatchObject({ params: { name: 'add', arguments: { a: 2 } } });
  });

  test('§2.7: its variables and arguments read credentials', async () => {
    const programs = serving(sum);
    const connection = {
      ...CONNECTION,
      args: ['some-server', '--as=$start.n'],
      env: { TOKEN: '$credentials.tools' },
    };
    await call(programs, { connection, names: { credentials: { tools: 'canary' } } });
    expect(programs.jobs[0]).toMatchObject({ args: ['--as=2'], variables: { TOKEN: 'canary' } });
  });

  test('messages may come in pieces, several at once, and between lines of other text', async () => {
    const programs = serving(({ message, write }) => {
      const line = JSON.stringify({
        jsonrpc: '2.0',
        id: message['id'] ?? 0,
        result: { content: [{ type: 'text', text: 'Grüße' }] },
      });
      const bytes = new TextEncoder().encode(
        `starting\n\n{"jsonrpc":"2.0","method":"notifications/x"}\r\n${line}\n`,
      );
      void write;
      for (const byte of bytes) programs.jobs[0]?.onOutput(Uint8Array.of(byte));
    });
    expect((await call(programs)).result).toEqual({ output: { result: 'Grüße' } });
  });

  test('its standard error is in the log of the run, up to a limit', async () => {
    const programs = serving((stage) => {
      for (let line = 1; line <= 300; line++) stage.job.onLog(`line ${line}`);
      sum(stage);
    });
    const { trace } = await call(programs);
    expect(trace.logged[0]).toEqual({ level: 'info', message: 'line 1' });
    expect(trace.logged).toHaveLength(201);
    expect(trace.logged.at(-1)?.message).toBe('(further lines of the server are left out)');
  });

  test('one that dies in the middle fails the node with the reason', async () => {
    const reason = {
      kind: 'upstream',
      message: 'The program "some-server" ended with exit code 3:\nno disk',
    } as const;
    const programs = serving(({ end }) => end(new NodeFailure(reason)));
    expect((await call(programs)).result).toEqual({ failure: reason });
  });

  test('one that answers nothing fails the node with its time', async () => {
    const programs = serving(() => undefined);
    const { result } = await call(programs, { data: { timeoutSeconds: 1 } });
    expect(result).toMatchObject({
      failure: { kind: 'timeout', message: 'The MCP server some-server did not answer within 1 s' },
    });
  });

  test('one that only writes junk is named with the first of it', async () => {
    const programs = serving(({ write }) => write('Server running on port 3000\nmore\n'));
    const { result } = await call(programs, { data: { timeoutSeconds: 1 } });
    expect(result).toMatchObject({
      failure: {
        kind: 'timeout',
        message:
          'The MCP server some-server did not answer within 1 s. It wrote a line to its standard output that is no message of the protocol: "Server running on port 3000"',
      },
    });
  });

  test('a cancelled run ends it', async () => {
    const leaving = new AbortController();
    const programs = serving(() => leaving.abort());
    const { result } = await call(programs, { signal: leaving.signal });
    expect(result).toMatchObject({ failure: { kind: 'cancelled' } });
  });

  test.each([
    ['sandbox', 'No sandbox is started, because no container engine can be reached', undefined],
    ['params', 'names "docker", which is not in the container', 'connection.command'],
  ] as const)('one that cannot be started fails the node: %s', async (kind, message, field) => {
    const programs = serving(sum);
    const startProgram = () => Promise.reject(new NodeFailure({ kind, message }));
    const { result } = await call(programs, { services: { startProgram } });
    expect(result).toMatchObject({
      failure: { kind, message: expect.stringContaining(message), ...(field === undefined ? {} : { field }) },
    });
  });
});
