import { type JsonObject, NodeFailure } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { streamingEgress } from '../../testing/real-egress.ts';
import { type Asked, asksFor, type Replies, says, toolCall, work } from '../../testing/run-agent.ts';
import { type Stage, scriptedPrograms } from '../../testing/scripted/scripted-program.ts';

const SERVER = { transport: 'stdio', command: 'npx', args: ['-y', 'some-server'], timeoutSeconds: 1 };
const tool = (name: string, readOnlyHint = true) => ({
  name,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint },
});

/** Answers each call with how many it has had; `onCall` says what happens instead. */
function counting(onCall: (stage: Stage, name: string) => boolean = () => false) {
  const calls = new Map<object, number>();
  return scriptedPrograms((stage) => {
    const { job, message, answer } = stage;
    if (message['method'] === 'tools/list') return answer({ tools: [tool('look'), tool('change', false)] });
    const { name } = message['params'] as { name: string };
    if (onCall(stage, name)) return;
    const count = (calls.get(job) ?? 0) + 1;
    calls.set(job, count);
    answer({ content: [], structuredContent: { count } });
  });
}

async function ask(
  programs: ReturnType<typeof scriptedPrograms>,
  replies: Replies,
  { data, ...more }: Asked & { readonly data?: JsonObject } = {},
) {
  const asked = await work({ mcpConnections: [SERVER], ...data }, replies, {
    ...more,
    services: { http: streamingEgress(), startProgram: programs.startProgram, now: Date.now },
  });
  expect(programs.running.count).toBe(0);
  return asked;
}

const countsIn = (output: JsonObject) =>
  (output['tool_calls'] as { result: JsonObject }[]).map(({ result }) => result);
const look = toolCall('look', {});

describe('§8.4: an MCP server that is a program', () => {
  test('is started once for all calls of an agent, and none is left', async () => {
    const programs = counting();
    const { output } = await ask(programs, [asksFor(look), asksFor(look), says('Done')]);
    expect(countsIn(output)).toEqual([{ count: 1 }, { count: 2 }]);
    expect(programs.jobs).toHaveLength(1);
  });

  test('answers calls of one turn side by side', async () => {
    const programs = counting();
    const { output } = await ask(programs, [asksFor(look, look), says('Done')]);
    expect(countsIn(output)).toEqual([{ count: 1 }, { count: 2 }]);
    expect(programs.jobs).toHaveLength(1);
  });

  test('that ends in a call is started again for the next one', async () => {
    let isFirst = true;
    const programs = counting(({ end }) => {
      if (isFirst) end(new NodeFailure({ kind: 'upstream', message: 'it crashed' }));
      return isFirst && !(isFirst = false);
    });
    const { output } = await ask(programs, [asksFor(look), asksFor(look), says('Done')]);
    expect(countsIn(output)).toEqual([{ error: 'it crashed' }, { count: 1 }]);
    expect(programs.jobs).toHaveLength(2);
  });

  test('that does not answer is started again, and its other calls of the turn still end', async () => {
    let isFirst = true;
    const programs = counting(() => isFirst && !(isFirst = false));
    const { output } = await ask(programs, [asksFor(look, look), asksFor(look), says('Done')]);
    expect(countsIn(output)).toEqual([
      { error: 'The MCP server some-server did not answer within 1 s' },
      { count: 1 },
      { count: 1 },
    ]);
    expect(programs.jobs).toHaveLength(2);
  });

  test('that refuses a call is kept', async () => {
    let isFirst = true;
    const programs = counting(({ write, message }) => {
      const error = { code: -32602, message: 'no such thing' };
      if (isFirst) write(`${JSON.stringify({ jsonrpc: '2.0', id: message['id'] ?? 0, error })}\n`);
      return isFirst && !(isFirst = false);
    });
    const { output } = await ask(programs, [asksFor(look), asksFor(look), says('Done')]);
    expect(countsIn(output)).toEqual([
      { error: 'The MCP server some-server refused the call: no such thing' },
      { count: 1 },
    ]);
    expect(programs.jobs).toHaveLength(1);
  });

  test('is ended when the agent waits for a person', async () => {
    const programs = counting();
    const { run } = await ask(programs, [asksFor(look), asksFor(toolCall('change', {}))], {
      data: { hitlEnabled: true, mcpApprovalMode: 'always' },
      decisions: 'none',
    });
    expect(run.trace.waits).toHaveLength(1);
    expect(programs.jobs).toHaveLength(1);
  });

  test('is ended when the agent fails', async () => {
    const programs = counting();
    const { run } = await ask(programs, [asksFor(look)]);
    expect(run.finished.failure).toMatchObject({ message: expect.stringContaining('the script is over') });
    expect(programs.jobs).toHaveLength(1);
  });

  test('is ended when the run is cancelled in the middle of a call', async () => {
    const leaving = new AbortController();
    const programs = counting(() => {
      leaving.abort();
      return true;
    });
    await ask(programs, [asksFor(look)], { signal: leaving.signal });
    expect(programs.jobs).toHaveLength(1);
  });

  test('of an agent that another one asks is ended with its answer', async () => {
    const programs = counting();
    const left: number[] = [];
    await ask(
      programs,
      ({ body }, count) => {
        if (body?.['model'] === 'sub') return count === 1 ? asksFor(look) : says('found');
        left.push(programs.running.count);
        return count === 0
          ? asksFor(toolCall('call_sub_agent', { sub_agent_label: 'scout', prompt: 'go' }))
          : says('Done');
      },
      {
        data: { mcpConnections: [], isOrchestrator: true, subAgentLabels: ['scout'] },
        lines: 'start -> boss',
        nodes: {
          scout: {
            type: 'agent',
            credentialId: 'c',
            model: 'sub',
            userMessage: '$input.text',
            mcpConnections: [SERVER],
          },
        },
      },
    );
    expect(programs.jobs).toHaveLength(1);
    expect(left).toEqual([0, 0]);
  });

  test('leaves its place to another program while it is idle, and is started again for the next call', async () => {
    const programs = counting();
    const { output } = await ask(programs, (_call, count) => {
      if (count === 1) expect(programs.jobs[0]?.onCrowded?.()).toBe(true);
      return count < 2 ? asksFor(look) : says('Done');
    });
    expect(countsIn(output)).toEqual([{ count: 1 }, { count: 1 }]);
    expect(programs.jobs).toHaveLength(2);
  });

  test('keeps its place while it is at work, with what it has in memory', async () => {
    const programs = counting(({ job }) => {
      expect(job.onCrowded?.()).toBe(false);
      return false;
    });
    const { output } = await ask(programs, [asksFor(look), asksFor(look), says('Done')]);
    expect(countsIn(output)).toEqual([{ count: 1 }, { count: 2 }]);
    expect(programs.jobs).toHaveLength(1);
  });

  test('is started again when it has ended between two calls', async () => {
    const programs = counting();
    const { output } = await ask(programs, (_call, count) => {
      if (count === 1)
        programs.jobs[0]?.onEnd(new NodeFailure({ kind: 'upstream', message: 'ended with exit code 0' }));
      return count < 2 ? asksFor(look) : says('Done');
    });
    expect(countsIn(output)).toEqual([{ count: 1 }, { count: 1 }]);
    expect(programs.jobs).toHaveLength(2);
  });
});
