import type { JsonObject } from '@millrace/engine';
import type { SeenCall } from '@millrace/models/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CodeJob, ScriptJob, SubWorkflowRequest } from '../../services.ts';
import { type Asked, asksFor, resultsIn, says, toolCall, work } from '../../testing/run-agent.ts';
import { type McpTestServer, startMcpServer } from '../../testing/servers/mcp-server.ts';

let mcp: McpTestServer;
beforeAll(async () => {
  mcp = await startMcpServer();
});
afterAll(() => mcp.close());

/** The tools that were really used, in order. */
const used: string[] = [];
beforeEach(() => void used.splice(0));

const services: Asked['services'] = {
  runCode: (_purpose, { values }: CodeJob) => {
    used.push(`code ${JSON.stringify(values)}`);
    return Promise.resolve({ result: { ok: true }, logs: '', install: { ok: true, tool: 'none', log: '' } });
  },
  runScript: ({ input }: ScriptJob) => {
    used.push(`script ${input}`);
    return Promise.resolve({ printed: '{"ok": true}', files: new Map() });
  },
  subWorkflow: {
    depth: 0,
    describe: () => Promise.resolve({ name: 'Mail', description: '', keys: ['to'], defaults: {} }),
    run: ({ workflow_id, input }: SubWorkflowRequest) => {
      used.push(`workflow ${JSON.stringify(input)}`);
      const outputs = { sent: true };
      return Promise.resolve({
        kind: 'finished',
        workflow_id,
        status: 'success',
        outputs,
        execution_time_ms: 1,
      });
    },
    loadOutcome: () => Promise.reject(new Error('nothing was paused')),
  },
};

const python = {
  name: 'price',
  code: 'def price(n): return n',
  parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
};
const skill = { name: 'Letter', content: '# Letter', files: [{ path: 'main.py', content: 'print(1)' }] };
const node = {
  type: 'set',
  agentProvidedFields: ['word'],
  mappings: [{ key: 'said', value: '$agentArguments.word' }],
};
const scout = { type: 'agent', credentialId: 'c', model: 'sub', userMessage: '$input.text' };

/** An agent with a tool of each kind. */
const kinds: JsonObject = {
  hitlEnabled: true,
  tools: [python],
  skills: [skill],
  subWorkflowIds: ['w1'],
  isOrchestrator: true,
  subAgentLabels: ['scout'],
};
const situation: Asked = {
  lines: 'start -> boss\nshape -> boss@tool-input',
  nodes: { shape: node, scout },
  services,
};
const decided = (decision: string, more: JsonObject = {}): Asked => ({
  ...situation,
  decisions: { 'tool-1-1/approval/review': { decision, data: more } },
});
const asked = (steps: readonly string[]) => steps.filter((key) => key.endsWith('/approval/asked'));
const buildReviewData = (tool: string, mode = 'always') => ({ ...kinds, toolReviews: [{ tool, mode }] });

interface Case {
  readonly kind: string;
  readonly rule: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly edited: JsonObject;
  readonly result: RegExp;
}

const EVERY: readonly Case[] = [
  {
    kind: 'node',
    rule: 'shape',
    name: 'shape',
    input: { word: 'hi' },
    edited: { word: 'edited' },
    result: /edited/,
  },
  {
    kind: 'Python tool',
    rule: 'price',
    name: 'price',
    input: { n: 1 },
    edited: { n: 7 },
    result: /code \{"n":7\}/,
  },
  {
    kind: 'skill, by its name',
    rule: 'Letter',
    name: 'skill_Letter',
    input: { input: 'a' },
    edited: { input: 'b' },
    result: /script b/,
  },
  {
    kind: 'skill, by the name of its tool',
    rule: 'skill_Letter',
    name: 'skill_Letter',
    input: { input: 'a' },
    edited: { input: 'b' },
    result: /script b/,
  },
  {
    kind: 'workflow',
    rule: 'call_sub_workflow',
    name: 'call_sub_workflow',
    input: { workflow_id: 'w1', inputs: { to: 'Ada' } },
    edited: { workflow_id: 'w1', inputs: { to: 'Eve' } },
    result: /workflow .*Eve/,
  },
  {
    kind: 'other agent',
    rule: 'call_sub_agent',
    name: 'call_sub_agent',
    input: { sub_agent_label: 'scout', prompt: 'go' },
    edited: { sub_agent_label: 'scout', prompt: 'stop' },
    result: /scout was asked stop/,
  },
];

describe.each(EVERY)('a $kind with the review "$rule"', ({ rule, name, input, edited, result }) => {
  const script = (call: SeenCall) => {
    const messages = (call.body?.['messages'] ?? []) as JsonObject[];
    if (call.body?.['model'] === 'sub') {
      used.push(`agent ${String(messages.at(-1)?.['content'])}`);
      return says(`scout was asked ${String(messages.at(-1)?.['content'])}`);
    }
    return messages.some(({ role }) => role === 'tool') ? says('Done') : asksFor(toolCall(name, input));
  };

  test('is not used before a person has seen its arguments', async () => {
    const { run } = await work(buildReviewData(rule), script, { ...situation, decisions: 'none' });
    expect(run.trace.waits).toMatchObject([
      {
        key: 'tool-1-1/approval/review',
        payload: { draftText: `\`\`\`json\n${JSON.stringify(input, null, 2)}\n\`\`\`` },
      },
    ]);
    expect(used).toEqual([]);
  });

  test('is used with the arguments that the person has edited, and the output says so', async () => {
    const edit = decided('edited', { edited_text: JSON.stringify(edited) });
    const { output, bodies } = await work(buildReviewData(rule), script, edit);
    expect(output).toMatchObject({
      text: 'Done',
      decision: 'edited',
      tool_calls: [{ name, arguments: edited }],
    });
    expect([...used, ...bodies.flatMap((body) => resultsIn(body))].join('\n')).toMatch(result);
  });

  test('is not used when the person refuses, which ends the agent', async () => {
    const { output } = await work(
      buildReviewData(rule),
      script,
      decided('refused', { refusal_reason: 'no' }),
    );
    expect(output).toMatchObject({ text: '', decision: 'refused', refusalReason: 'no' });
    expect(used).toEqual([]);
  });
});

describe('review before use', () => {
  const price = (n: unknown) => toolCall('price', { n });
  const accepted = { decision: 'accepted', data: {} };

  test('asks once per tool in the mode "once", for each call in the mode "always"', async () => {
    const twice = [asksFor(price(1)), asksFor(price(2)), says('Done')];
    const decisions = { 'tool-1-1/approval/review': accepted, 'tool-2-1/approval/review': accepted };
    const once = await work(buildReviewData('price', 'once'), twice, { ...situation, decisions });
    expect(asked(once.steps)).toEqual(['tool-1-1/approval/asked']);
    const always = await work(buildReviewData('price'), twice, { ...situation, decisions });
    expect(asked(always.steps)).toHaveLength(2);
    expect(used).toHaveLength(4);
  });

  test('of all tools is "*", and the stricter of two rules counts', async () => {
    const toolReviews = [
      { tool: '*', mode: 'always' },
      { tool: 'price', mode: 'once' },
    ];
    const decisions = { 'tool-1-1/approval/review': accepted, 'tool-1-2/approval/review': accepted };
    const calls = [asksFor(price(1), price(2)), says('Done')];
    const { steps } = await work({ ...kinds, toolReviews }, calls, { ...situation, decisions });
    expect(asked(steps)).toEqual(['tool-1-1/approval/asked', 'tool-1-2/approval/asked']);
    expect(used).toEqual(['code {"n":1}', 'code {"n":2}']);
  });

  test.each([
    ['no JSON', 'not valid JSON'],
    ['[1]', 'must be a JSON object'],
    ['{"n": "many"}', '"n"'],
    ['{}', '"n" is required'],
  ])(
    'uses nothing when the arguments were edited into %s, and that approves no later call',
    async (text, problem) => {
      const decisions = {
        'tool-1-1/approval/review': { decision: 'edited', data: { edited_text: text } },
        'tool-2-1/approval/review': { decision: 'refused', data: {} },
      };
      const calls = [asksFor(price(1)), asksFor(price(2)), says('Done')];
      const { bodies, output } = await work(buildReviewData('price', 'once'), calls, {
        ...situation,
        decisions,
      });
      expect(JSON.parse(resultsIn(bodies[1])[0] ?? '{}')).toMatchObject({
        error: expect.stringContaining(problem),
      });
      expect(output['decision']).toBe('refused');
      expect(used).toEqual([]);
    },
  );

  test('of a tool that the agent does not have fails before a model is asked, with the names that it has', async () => {
    const { run, bodies } = await work(buildReviewData('prise'), [says('Done')], situation);
    expect(run.finished.failure).toMatchObject({
      kind: 'params',
      field: 'toolReviews.0.tool',
      message: expect.stringMatching(/"prise".*shape, price, Letter, call_sub_agent, call_sub_workflow/),
    });
    expect(bodies).toEqual([]);
  });

  test('of a tool of a server that cannot be reached does not fail the agent', async () => {
    const mcpConnections = [{ transport: 'streamable_http', url: 'http://127.0.0.1:1/mcp' }];
    const { output } = await work(
      { ...buildReviewData('note'), mcpConnections },
      [says('Without')],
      situation,
    );
    expect(output['text']).toBe('Without');
  });

  test('names a tool of a server whose other tools need no approval', async () => {
    mcp.notes.length = 0;
    const mcpConnections = [{ transport: 'streamable_http', url: mcp.url, label: 'Shelf' }];
    const { steps, output } = await work(
      { ...buildReviewData('note'), mcpApprovalMode: 'never', mcpConnections },
      [asksFor(toolCall('add', { a: 1, b: 2 }), toolCall('note', { words: 'x' })), says('Done')],
      { ...situation, decisions: { 'tool-1-2/approval/review': { decision: 'refused', data: {} } } },
    );
    expect(asked(steps)).toEqual(['tool-1-2/approval/asked']);
    expect(output).toMatchObject({
      decision: 'refused',
      summary: 'The agent wants to use "note" of Shelf',
      tool_calls: [{ result: { sum: 3 } }, {}],
    });
    expect(mcp.notes).toEqual([]);
  });

  test('is not asked for while "Ask a person" is off', async () => {
    const calls = [asksFor(price(1)), says('Done')];
    const { output } = await work({ ...buildReviewData('price'), hitlEnabled: false }, calls, situation);
    expect(output['text']).toBe('Done');
    expect(used).toEqual(['code {"n":1}']);
  });

  test('ends the agent when there is no decision in time', async () => {
    const decisions = { 'tool-1-1/approval/review': { decision: 'timed_out', data: {} } };
    const { run } = await work(buildReviewData('price'), [asksFor(price(1))], { ...situation, decisions });
    expect(run.finished.failure).toMatchObject({ kind: 'timeout' });
    expect(used).toEqual([]);
  });
});
