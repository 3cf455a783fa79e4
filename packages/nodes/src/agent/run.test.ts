import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import {
  chatStream,
  type FakeReply,
  json,
  messageStream,
  refuse,
  responseStream,
  startFakeProvider,
  type ToldTool,
} from '@millrace/models/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type {
  AgentMemories,
  AgentMemory,
  CodeJob,
  MemoryFacts,
  MemoryPlace,
  RememberingAgent,
  ScriptJob,
} from '../services.ts';
import { streamingEgress } from '../testing/real-egress.ts';
import {
  type Asked,
  asksFor,
  listTools,
  resultsIn,
  running,
  says,
  toolCall,
  work,
} from '../testing/run-agent.ts';
import { scriptedPrograms } from '../testing/scripted/scripted-program.ts';
import { type McpTestServer, startMcpServer } from '../testing/servers/mcp-server.ts';

let mcp: McpTestServer;
beforeAll(async () => {
  mcp = await startMcpServer();
});
afterAll(() => mcp.close());

describe('an agent without tools', () => {
  test('answers like a language model, with what it took', async () => {
    const { output, steps, bodies } = await work({ systemInstruction: 'Be brief' }, [says('Done')]);
    expect(output).toEqual({
      text: 'Done',
      model: 'm1',
      usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
      elapsed_ms: expect.any(Number),
      tool_calls: [],
      timing_breakdown: { llm_ms: 0, tools_ms: 0, mcp_list_ms: 0 },
      skills_used: [],
      mcp_list_ms: 0,
    });
    expect(steps).toEqual(['model-1']);
    expect(bodies[0]).not.toHaveProperty('tools');
  });

  test('puts the texts of its skills before its instruction', async () => {
    const skills = [{ name: 'tone', content: 'Be friendly' }];
    const { output, bodies } = await work({ systemInstruction: 'Be brief', skills }, [says('Done')]);
    expect(bodies[0]?.messages[0]?.['content']).toBe('Be friendly\n\n---\n\nBe brief');
    expect(output['skills_used']).toEqual(['tone']);
  });

  test('answers as JSON that follows the schema, after one repair', async () => {
    const jsonOutputSchema = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}';
    const { output, steps } = await work({ jsonOutputEnabled: true, jsonOutputSchema }, [
      says('{"n":"x"}'),
      says('{"n":7}'),
    ]);
    expect(output).toEqual({ n: 7, model: 'm1' });
    expect(steps).toEqual(['model-1', 'repair']);
  });
});

describe('nodes on the tool handle', () => {
  const lines = 'start -> boss -> out\nshape -> boss@tool-input';
  const nodes = (data: JsonObject): Record<string, JsonObject> => ({
    shape: { type: 'set', ...data },
    out: { type: 'output', message: '$boss.text' },
  });
  const echo = { mappings: [{ key: 'town', value: '$start.town' }] };

  test('are called with the place of the agent in the run, and their result goes back', async () => {
    const { run, output, bodies, steps } = await work({}, [asksFor(toolCall('shape', {})), says('Sunny')], {
      lines,
      nodes: nodes(echo),
    });
    expect(output['tool_calls']).toEqual([
      {
        name: 'shape',
        arguments: {},
        result: { town: 'Rome' },
        elapsed_ms: expect.any(Number),
        source: 'node_tool',
      },
    ]);
    expect(resultsIn(bodies[1])).toEqual(['{"town":"Rome"}']);
    expect(run.outputs).toEqual({ out: { result: 'Sunny' } });
    expect(run.statuses).toEqual({ start: 'success', boss: 'success', out: 'success' });
    expect(steps).toEqual(['model-1', 'tool-1-1', 'model-2']);
    expect(output['usage']).toMatchObject({ total_tokens: 34 });
  });

  test('read values that are none of their fields under a name', async () => {
    const { output, bodies } = await work(
      {},
      [asksFor(toolCall('shape', { value_town: '$start.town' })), says('Done')],
      {
        lines,
        nodes: nodes({
          agentProvidedFields: ['value_town'],
          mappings: [{ key: 'at', value: '$concat("In ", agentArguments.value_town)' }],
        }),
      },
    );
    expect(listTools(bodies[0])[0]?.['parameters']).toMatchObject({ required: ['value_town'] });
    expect(output['tool_calls']).toMatchObject([{ result: { at: 'In $start.town' } }]);
  });

  test('keep stored values of fields that are not filled in by the agent', async () => {
    const asked = { value_town: 'Bern', mappings: '[]', nonsense: 1 };
    const { output } = await work({}, [asksFor(toolCall('shape', asked)), says('Done')], {
      lines,
      nodes: nodes({
        agentProvidedFields: ['value_town'],
        mappings: [{ key: 'at', value: '$agentArguments.value_town' }],
      }),
    });
    expect(output['tool_calls']).toMatchObject([
      { arguments: { value_town: 'Bern' }, result: { at: 'Bern' } },
    ]);
  });

  test('take what the agent writes as data, never as an expression', async () => {
    const { output, bodies } = await work(
      {},
      ({ path, headers }, count) => {
        if (path.startsWith('/echo')) return json({ path });
        const curl = `curl http://${headers['host']}/echo/$start.town`;
        if (count === 0)
          return asksFor(toolCall('shape', { mappings: '[{"key":"a","value":"$start.town"}]' }));
        return count === 1 ? asksFor(toolCall('call', { curl })) : says('Done');
      },
      {
        lines: 'start -> boss\nshape -> boss@tool-input\ncall -> boss@tool-input',
        nodes: {
          shape: { type: 'set', agentProvidedFields: ['mappings'] },
          call: { type: 'http', agentProvidedFields: ['curl'] },
        },
      },
    );
    expect(listTools(bodies[0]).map(({ name }) => name)).toEqual(['shape', 'call']);
    expect(listTools(bodies[0])[1]?.['parameters']).toMatchObject({
      properties: { curl: { type: 'string' } },
      required: ['curl'],
    });
    expect(output['tool_calls']).toMatchObject([
      { result: { a: '$start.town' } },
      { result: { status: 200, body: { path: '/echo/$start.town' } } },
    ]);
  });

  test('cannot choose files of the owner by writing a whole command', async () => {
    const file = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const commands = [
      `curl http://127.0.0.1:1 -F doc=@${file}`,
      `-T ${file} http://127.0.0.1:1`,
      `curl '-T' ${file} http://127.0.0.1:1`,
      `http://127.0.0.1:1 -T ${file}`,
    ];
    const { output } = await work(
      {},
      (_, count) => {
        const curl = commands[count];
        return curl === undefined ? says('Done') : asksFor(toolCall('call', { curl }));
      },
      {
        lines: 'start -> boss\ncall -> boss@tool-input',
        nodes: { call: { type: 'http', agentProvidedFields: ['curl'] } },
      },
    );
    expect(JSON.stringify(output['tool_calls']).match(/cannot name files/g)).toHaveLength(commands.length);
    expect(output['tool_calls']).toHaveLength(commands.length);
  });

  test('of one answer that read run together, others in their order', async () => {
    const { steps } = await work(
      {},
      [asksFor(toolCall('a', {}), toolCall('b', {}), toolCall('shape', {})), says('ok')],
      {
        lines: 'start -> boss\na -> boss@tool-input\nb -> boss@tool-input\nshape -> boss@tool-input',
        nodes: {
          ...nodes(echo),
          a: { type: 'set', mappings: [] },
          b: { type: 'variable', variableName: 'n' },
        },
      },
    );
    expect(steps.filter((key) => key.startsWith('tool'))).toEqual(['tool-1-1', 'tool-1-2', 'tool-1-3']);
  });

  test('that set a variable set it when the agent ends', async () => {
    const { run } = await work({}, [asksFor(toolCall('keep', { variableValue: 'kept' })), says('ok')], {
      lines: 'start -> boss -> out\nkeep -> boss@tool-input',
      nodes: {
        keep: { type: 'variable', variableName: 'note', agentProvidedFields: ['variableValue'] },
        out: { type: 'output', message: '$vars.note' },
      },
    });
    expect(run.outputs).toEqual({ out: { result: 'kept' } });
  });

  test('whose steps are steps of the agent can be language models themselves', async () => {
    const { output, steps } = await work(
      {},
      [asksFor(toolCall('helper', { userMessage: '2+2?' })), says('4'), says('Four')],
      {
        lines: 'start -> boss\nhelper -> boss@tool-input',
        nodes: {
          helper: { type: 'llm', credentialId: 'c', model: 'm2', agentProvidedFields: ['userMessage'] },
        },
      },
    );
    expect(output).toMatchObject({ text: 'Four', tool_calls: [{ result: { text: '4', model: 'm2' } }] });
    expect(steps).toEqual([
      'model-1',
      'tool-1-1/begin',
      'tool-1-1/start',
      'tool-1-1/call',
      'tool-1-1',
      'model-2',
    ]);
  });

  test('that cannot be tools are named', async () => {
    const { run } = await work({}, [], {
      lines: 'start -> boss\nfork -> boss@tool-input',
      nodes: { fork: { type: 'condition' } },
    });
    expect(run.finished.failure?.message).toContain('"fork" (Condition) cannot be used as a tool');
  });

  test.each<[string, ToldTool, RegExp]>([
    ['an unknown tool', toolCall('fly', {}), /There is no tool ..fly... Tools: shape/],
    ['arguments that are no JSON', toolCall('shape', 'please'), /cannot be used/],
    ['an argument that does not exist', toolCall('shape', { wings: 2 }), /cannot be used/],
    ['a missing argument', toolCall('shape', {}), /mappings.. is required/],
    ['arguments as a list', toolCall('shape', '[1]'), /must be a JSON object/],
    [
      'a field whose text is no JSON',
      toolCall('shape', { mappings: 'please' }),
      /mappings is not valid JSON/,
    ],
  ])('tell the model about %s', async (_, use, words) => {
    const { output, bodies } = await work({}, [asksFor(use), says('Sorry')], {
      lines,
      nodes: nodes({ agentProvidedFields: ['mappings'] }),
    });
    expect(resultsIn(bodies[1])[0]).toMatch(words);
    expect(output['text']).toBe('Sorry');
  });

  test('repair JSON that a model wrote with its usual mistakes', async () => {
    const { output } = await work({}, [asksFor(toolCall('keep', "{variableValue: 'x',}")), says('ok')], {
      lines: 'start -> boss\nkeep -> boss@tool-input',
      nodes: { keep: { type: 'variable', variableName: 'v', agentProvidedFields: ['variableValue'] } },
    });
    expect(output['tool_calls']).toMatchObject([
      { arguments: { variableValue: 'x' }, result: { value: 'x' } },
    ]);
  });

  test('tell the model how they failed', async () => {
    const { bodies } = await work({}, [asksFor(toolCall('call', {})), says('ok')], {
      lines: 'start -> boss\ncall -> boss@tool-input',
      nodes: { call: { type: 'http', curl: 'curl' } },
      services: { http: streamingEgress() },
    });
    expect(JSON.parse(resultsIn(bodies[1])[0] ?? '')).toEqual({ error: expect.stringMatching(/curl/) });
  });
});

describe('limits', () => {
  const nodes = { shape: { type: 'set', mappings: [] } };
  const lines = 'start -> boss\nshape -> boss@tool-input';
  const again = () => asksFor(toolCall('shape', {}));

  test('end the use of tools with one last call without any', async () => {
    const { output, bodies } = await work({ maxToolIterations: 2 }, [again(), again(), says('All I have')], {
      lines,
      nodes,
    });
    expect(output).toMatchObject({ text: 'All I have', limit_reached: 'maxToolIterations' });
    expect(bodies.map((body) => listTools(body).length)).toEqual([1, 1, 0]);
  });

  test('leave the last call the names of all tools that the conversation has used', async () => {
    const big = { type: 'set', mappings: [{ key: 'text', value: 'x'.repeat(40_000) }] };
    const uses = (...tools: ToldTool[]) => ({ chunks: messageStream([], { tools }) });
    const { output, bodies } = await work(
      { maxToolIterations: 2 },
      [
        uses(toolCall('look_up', {}), toolCall('look_up_2', {})),
        uses(toolCall('read_tool_result', { reference: 'tool-1-1' })),
        { chunks: messageStream(['All I have']) },
      ],
      {
        isAnthropic: true,
        lines: 'start -> boss\none -> boss@tool-input\ntwo -> boss@tool-input',
        nodes: { one: { ...big, label: 'look up' }, two: { ...big, label: 'look-up' } },
      },
    );
    expect(output['text']).toBe('All I have');
    const names = bodies.map(({ tools = [] }) => tools.map((tool) => (tool as JsonObject)['name']));
    expect(names[2]).toEqual(names[1]);
    expect(new Set(names[2])).toHaveLength(3);
  });

  test('say so when the last call brings nothing', async () => {
    const { output } = await work({ maxToolIterations: 1 }, [again(), { chunks: chatStream([]) }], {
      lines,
      nodes,
    });
    expect(output['text']).toBe('Tool iteration limit reached.');
  });

  test('of tokens and of time end the work with their name', async () => {
    const tokens = await work({ maxTotalTokens: 17 }, [again(), says('no')], { lines, nodes });
    expect(tokens.output).toMatchObject({ text: 'Token limit reached.', limit_reached: 'maxTotalTokens' });
    expect(tokens.bodies).toHaveLength(1);
    let now = Date.UTC(2026, 0, 2);
    const time = await work({ maxRunSeconds: 10 }, [again(), says('no')], {
      lines,
      nodes,
      services: { http: streamingEgress(), now: () => (now += 4_000) },
    });
    expect(time.output).toMatchObject({ limit_reached: 'maxRunSeconds' });
  });
});

test('a fallback that had to answer once stays the model of the agent', async () => {
  const { output, bodies } = await work(
    { fallbackCredentialId: 'other', fallbackModel: 'm2' },
    ({ body }, count) => {
      if (body?.['model'] === 'm1') return refuse(400, { error: { message: 'gone' } });
      return count === 1 ? asksFor(toolCall('shape', {})) : says('Done');
    },
    { lines: 'start -> boss\nshape -> boss@tool-input', nodes: { shape: { type: 'set', mappings: [] } } },
  );
  expect(output).toMatchObject({ text: 'Done', model: 'm2', fallbackUsed: true });
  expect(bodies).toHaveLength(3);
});

describe('a model router', () => {
  const decides = '00000000-0000-4000-8000-000000000001';
  const opens = '00000000-0000-4000-8000-000000000002';

  /** An agent with the model Auto, one tool and two options, the first of which may be the fallback. */
  async function routed(decision: FakeReply, is_default: boolean) {
    const server = await startFakeProvider(({ path, body }) => {
      if (path.endsWith('/systemone')) return decision;
      return JSON.stringify(body).includes('"role":"tool"') ? says('Done') : asksFor(toolCall('shape', {}));
    });
    running.push(server);
    const values = { base_url: server.url, api_key: 'k' };
    const options = [
      { label: 'one', credential_id: opens, model: 'm-one', is_default },
      { label: 'two', credential_id: opens, model: 'm-two' },
    ];
    const router = { decision_credential_id: decides, decision_model: 'small', options };
    const { run, output } = await work({ credentialId: 'router', model: 'Auto' }, [], {
      lines: 'start -> boss\nshape -> boss@tool-input',
      nodes: { shape: { type: 'set', mappings: [] } },
      extra_credentials: {
        router: { type: 'model_router', values: router },
        [decides]: { type: 'decision', values },
        [opens]: { type: 'custom', values },
      },
    });
    const facts = run.events.flatMap((event) =>
      event.type === 'node_finished' && event.metadata ? [event.metadata] : [],
    );
    return { run, output, facts, seen: server.seen };
  }
  const chooses = (choice: string) => json({ answers: { route: { choice } } });

  test('§2.7: is told the names of the tools, and what it chooses answers to the end', async () => {
    const { output, facts, seen } = await routed(chooses('two'), false);
    expect(output).toMatchObject({ text: 'Done', model: 'm-two' });
    const [asked, ...answered] = seen.map(({ body }) => body);
    expect(asked?.['state']).toEqual({ system: '', message: 'Do it', tools: ['shape'] });
    expect(answered.map((body) => body?.['model'])).toEqual(['m-two', 'm-two']);
    const call = { model: 'm-two', option: 'two', fallback: false, error: null };
    expect(facts).toMatchObject([{ model_routing: { calls: [call, call] } }]);
  });

  test('§3.5: when it fails, the marked option answers, and the reason is recorded', async () => {
    const { output, facts } = await routed(chooses('three'), true);
    expect(output).toMatchObject({ text: 'Done', model: 'm-one' });
    const error = 'the decision model chose "three", which is not an option';
    expect(facts).toMatchObject([
      { model_routing: { calls: [{ option: 'one', fallback: true, error }, {}] } },
    ]);
  });

  test('§3.5: when it fails and no option is marked, the agent fails and asks no model', async () => {
    const { run, seen } = await routed(chooses('three'), false);
    expect(run.finished.failure?.message).toMatch(
      /^LLM error: The model router ".*" could not choose a model: /,
    );
    expect(seen).toHaveLength(1);
  });
});

describe('other agents', () => {
  const lines = 'start -> boss';
  const sub = (data: JsonObject = {}): JsonObject => ({
    type: 'agent',
    credentialId: 'c',
    model: 'sub',
    systemInstruction: 'You research',
    ...data,
  });
  const boss = { isOrchestrator: true, subAgentLabels: ['scout'] };
  const ask = (prompt: string, sub_agent_label = 'scout') =>
    toolCall('call_sub_agent', { sub_agent_label, prompt });

  test('are asked with a prompt and answer with a text, several at once', async () => {
    const { output, run, bodies } = await work(
      boss,
      ({ body }, count) => {
        const messages = (body?.['messages'] ?? []) as JsonObject[];
        if (body?.['model'] === 'sub') return says(`found ${String(messages.at(-1)?.['content'])}`);
        return count === 0 ? asksFor(ask('A'), ask('B')) : says('Both');
      },
      { lines, nodes: { scout: sub() } },
    );
    expect(output).toMatchObject({
      text: 'Both',
      tool_calls: [
        { name: 'call_sub_agent', source: 'sub_agent', result: 'found A' },
        { name: 'call_sub_agent', source: 'sub_agent', result: 'found B' },
      ],
    });
    expect(run.statuses).toEqual({ start: 'success', boss: 'success' });
    expect(bodies).toHaveLength(4);
  });

  test('are asked without the guardrails that they have for messages of people', async () => {
    const guarded = {
      guardrailsEnabled: true,
      guardrailsCategories: ['violence'],
      guardrailCredentialId: 'c',
      guardrailModel: 'guard',
    };
    const { output, bodies } = await work(
      { ...boss, ...guarded },
      ({ body }, count) => {
        if (body?.['model'] === 'guard') return says('{"violence": "none"}');
        if (body?.['model'] === 'sub') return says('found A');
        return count === 1 ? asksFor(ask('A')) : says('One');
      },
      { lines, nodes: { scout: sub(guarded) } },
    );
    expect(output).toMatchObject({ text: 'One' });
    expect(bodies.map((body) => (body as { model?: string }).model)).toEqual(['guard', 'm1', 'sub', 'm1']);
  });

  test('hand on what their tools have written', async () => {
    const { run } = await work(
      boss,
      ({ body }) => {
        const { model, messages } = body as { model: string; messages: JsonObject[] };
        const isDone = messages.at(-1)?.['role'] === 'tool';
        if (model !== 'sub') return isDone ? says('ok') : asksFor(ask('keep it'));
        return isDone ? says('kept') : asksFor(toolCall('keep', { variableValue: 'by the scout' }));
      },
      {
        lines: 'start -> boss -> out\nkeep -> scout@tool-input',
        nodes: {
          scout: sub(),
          keep: { type: 'variable', variableName: 'note', agentProvidedFields: ['variableValue'] },
          out: { type: 'output', message: '$vars.note' },
        },
      },
    );
    expect(run.outputs).toEqual({ out: { result: 'by the scout' } });
  });

  test('that ask in a circle are refused', async () => {
    const { output } = await work(
      boss,
      ({ body }) => {
        const { messages } = body as { messages: JsonObject[] };
        const last = messages.at(-1) ?? {};
        if (last['role'] === 'tool') return says(String(last['content']));
        return asksFor(ask('go', body?.['model'] === 'sub' ? 'boss' : 'scout'));
      },
      { lines, nodes: { scout: sub({ isOrchestrator: true, subAgentLabels: ['boss'] }) } },
    );
    expect(output['text']).toContain('in a circle: boss -> scout -> boss');
  });

  test('are at most five levels deep', async () => {
    const names = ['boss', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6'];
    const nodes = Object.fromEntries(
      names
        .slice(1)
        .map((name, at) => [
          name,
          sub({ model: name, isOrchestrator: true, subAgentLabels: names.slice(at + 2, at + 3) }),
        ]),
    );
    const asked: string[] = [];
    const { output } = await work(
      { isOrchestrator: true, subAgentLabels: ['a1'], model: 'boss' },
      ({ body }) => {
        const { model, messages } = body as { model: string; messages: JsonObject[] };
        const last = messages.at(-1) ?? {};
        if (last['role'] === 'tool') return says(String(last['content']));
        asked.push(model);
        const next = names[names.indexOf(model) + 1];
        return next ? asksFor(ask('deeper', next)) : says('bottom');
      },
      { lines, nodes },
    );
    expect(asked).toEqual(names.slice(0, 6));
    expect(output['text']).toContain('more than 5 levels deep');
  });
});

describe('workflows as tools', () => {
  const id = '0b0b0b0b-0000-4000-8000-000000000001';
  const data = { subWorkflowIds: [id, 'missing'] };

  test('are run for agents, with their outputs as the result', async () => {
    const { output, run, bodies } = await work(
      data,
      [asksFor(toolCall('call_sub_workflow', { workflow_id: id, inputs: { text: 'x' } })), says('ok')],
      { workflows: { [id]: { answer: 42 } } },
    );
    expect(JSON.stringify(listTools(bodies[0]))).not.toContain('missing');
    expect(run.trace.sub_runs).toMatchObject([
      { workflow_id: id, cause: 'agent', wait: true, input: { text: 'x' } },
    ]);
    expect(output['tool_calls']).toMatchObject([
      {
        name: 'call_sub_workflow',
        source: 'sub_workflow',
        workflow_name: `Workflow ${id}`,
        result: { status: 'success', outputs: { answer: 42 }, execution_time_ms: 1 },
      },
    ]);
  });

  test('cannot be others than the node names', async () => {
    const { run, bodies } = await work(
      data,
      [asksFor(toolCall('call_sub_workflow', { workflow_id: 'other' })), says('ok')],
      { workflows: { [id]: {}, other: {} } },
    );
    expect(run.trace.sub_runs).toEqual([]);
    expect(resultsIn(bodies[1])[0]).toContain('cannot be used');
  });
});

describe('MCP servers', () => {
  const mcpConnections = () => [{ id: 'x', transport: 'streamable_http', label: 'Tools', url: mcp.url }];

  test('offer their tools, and results and failures go back', async () => {
    const { output, bodies } = await work({ mcpConnections: mcpConnections() }, [
      asksFor(toolCall('add', { a: 1, b: 2 }), toolCall('fail', {})),
      says('3'),
    ]);
    expect(listTools(bodies[0]).map(({ name }) => name)).toContain('add');
    expect(output).toMatchObject({
      text: '3',
      tool_calls: [
        { name: 'add', source: 'mcp', mcp_server: 'Tools', result: { sum: 3, exact: false } },
        { name: 'fail', result: { error: 'The tool "fail" failed: the shelf is empty' } },
      ],
    });
  });

  test('are asked for their tools at the same time', async () => {
    const http = streamingEgress();
    const asked = new Set<string>();
    let go = () => {};
    const bothAsked = new Promise<void>((resolve) => (go = resolve));
    const { bodies } = await work(
      { mcpConnections: ['a', 'b'].map((at) => ({ ...mcpConnections()[0], url: `${mcp.url}?at=${at}` })) },
      [says('Done')],
      {
        services: {
          http: {
            ...http,
            request: async (request) => {
              const at = new URL(request.url).searchParams.get('at');
              if (at !== null && asked.add(at).size === 2) go();
              if (at !== null) await bothAsked;
              return http.request(request);
            },
          },
        },
      },
    );
    const names = listTools(bodies[0]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['add', 'add_2']));
  });

  test('of a credential are called with its token, and left out before the first sign-in', async () => {
    const values = {
      mcp_url: mcp.url,
      mcp_auth: 'oauth',
      discovered_for: mcp.url,
      authorization_url: 'https://a.example',
    };
    const credential = (more: object) => async (id: string) => ({
      id,
      name: id,
      ...(id === 'tools'
        ? { type: 'mcp', values: { ...values, ...more } }
        : { type: 'custom', values: { api_key: '', base_url: running.at(-1)?.url ?? '' } }),
    });
    const given = { mcpConnections: [{ label: 'Tools', credentialId: 'tools' }] };
    const script = [asksFor(toolCall('add', { a: 1, b: 2 })), says('3')];
    const signedIn = { services: { credential: credential({ access_token: 'token-canary' }) } };
    const { output } = await work(given, script, signedIn);
    expect(output).toMatchObject({ tool_calls: [{ name: 'add', mcp_server: 'Tools', result: { sum: 3 } }] });
    expect(mcp.headers.at(-1)?.authorization).toBe('Bearer token-canary');
    const without = await work(given, [says('Without')], { services: { credential: credential({}) } });
    expect(without.output['text']).toBe('Without');
    expect(without.run.trace.logged).toMatchObject([
      { level: 'warn', message: expect.stringContaining('not signed in to its MCP server yet') },
    ]);
  });

  test('§2.7: are sent headers with values of credentials', async () => {
    const headers = { Authorization: 'Bearer $credentials.shelf', 'X-Town': '$start.town' };
    const given = mcpConnections().map((connection) => ({ ...connection, headers }));
    const { run } = await work({ mcpConnections: given }, [says('Done')]);
    expect(run.machine.workflow.credential_names).toEqual(['shelf']);
    expect(mcp.headers.at(-1)).toMatchObject({ 'x-town': 'Rome' });
  });

  test('that cannot be reached are left out with a line in the log', async () => {
    const { output, run } = await work(
      { mcpConnections: [{ transport: 'streamable_http', url: 'http://127.0.0.1:1/mcp' }] },
      [says('Without')],
    );
    expect(output['text']).toBe('Without');
    expect(run.trace.logged).toMatchObject([{ level: 'warn' }]);
  });

  const program = {
    transport: 'stdio',
    command: 'npx',
    args: ['-y', 'some-server'],
    env: { TOWN: '$start.body.town' },
  };

  test('§8.4: one that is a program is started with its variables, and none is left', async () => {
    const programs = scriptedPrograms(({ message, answer }) =>
      answer(
        message['method'] === 'tools/list'
          ? {
              tools: [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
            }
          : { content: [], structuredContent: { seen: 1 } },
      ),
    );
    const { output } = await work(
      { mcpConnections: [program] },
      [asksFor(toolCall('look', {})), says('Done')],
      { services: { http: streamingEgress(), startProgram: programs.startProgram } },
    );
    expect(output).toMatchObject({
      text: 'Done',
      tool_calls: [{ name: 'look', source: 'mcp', mcp_server: 'some-server', result: { seen: 1 } }],
    });
    expect(programs.jobs.map(({ variables }) => variables)).toEqual([{ TOWN: 'Rome' }]);
    expect(programs.running.count).toBe(0);
  });

  test('§8.4: where a program cannot be started the agent fails before a model is asked', async () => {
    const { run, bodies } = await work({ mcpConnections: [program] }, [says('Done')]);
    expect(run.finished.failure).toMatchObject({ kind: 'sandbox' });
    expect(bodies).toEqual([]);
  });

  test.each([
    ['accepted', 'Ask before every MCP call'],
    ['refused', 'Ask before every MCP call'],
    ['refused', 'Never call an MCP tool without asking me'],
    ['refused', 'Ask before anything is sent to a customer.'],
    ['refused', ''],
  ])('are only called when a person has %s it, with the text "%s"', async (decision, hitlSummary) => {
    mcp.notes.length = 0;
    const { output } = await work(
      { mcpConnections: mcpConnections(), hitlEnabled: true, hitlSummary },
      [asksFor(toolCall('note', { words: 'hello' })), says('Noted')],
      { decisions: { 'tool-1-1/approval/review': { decision, data: {} } } },
    );
    expect(mcp.notes).toEqual(decision === 'accepted' ? ['hello'] : []);
    expect(output).toMatchObject({ decision, text: decision === 'accepted' ? 'Noted' : '' });
  });
});

test('arguments that a person has made unreadable approve no later call', async () => {
  mcp.notes.length = 0;
  const { output } = await work(
    {
      mcpConnections: [{ transport: 'streamable_http', url: mcp.url }],
      hitlEnabled: true,
      mcpApprovalMode: 'once',
    },
    [asksFor(toolCall('note', { words: 'a' })), asksFor(toolCall('note', { words: 'b' })), says('Noted')],
    {
      decisions: {
        'tool-1-1/approval/review': { decision: 'edited', data: { edited_text: 'no JSON' } },
        'tool-2-1/approval/review': { decision: 'refused', data: {} },
      },
    },
  );
  expect(output).toMatchObject({ decision: 'refused', text: '' });
  expect(mcp.notes).toEqual([]);
});

describe('a person', () => {
  const data = { hitlEnabled: true, hitlSummary: 'Before sending' };
  const draft = toolCall('request_human_review', { review_markdown: 'Dear Ada', summary: 'Send this?' });
  const decide = (decision: string, more: JsonObject = {}): Asked => ({
    decisions: { 'tool-1-1/review': { decision, data: more } },
  });

  test('who is asked sees the draft, and the run waits', async () => {
    const { run } = await work(data, [asksFor(draft)], { decisions: 'none' });
    expect(run.trace.waits).toMatchObject([
      {
        key: 'tool-1-1/review',
        kind: 'review',
        payload: {
          decision: null,
          summary: 'Send this?',
          draftText: 'Dear Ada',
          reviewUrl: 'https://test/reviews/tool-1-1/review',
        },
      },
    ]);
  });

  test('who accepts lets the agent continue with the draft', async () => {
    const { output, bodies } = await work(data, [asksFor(draft), says('Sent')], decide('accepted'));
    expect(JSON.parse(resultsIn(bodies[1])[0] ?? '')).toEqual({
      decision: 'accepted',
      approved_markdown: 'Dear Ada',
    });
    expect(output).toMatchObject({
      text: 'Sent',
      decision: 'accepted',
      originalDraft: 'Dear Ada',
      summary: 'Send this?',
      hitlHistory: [{ decision: 'accepted' }],
      tool_calls: [{ name: 'request_human_review', source: 'hitl' }],
    });
  });

  test('who edits lets it continue with the edited text', async () => {
    const { bodies, output } = await work(
      data,
      [asksFor(draft), says('Sent')],
      decide('edited', { edited_text: 'Dear Countess' }),
    );
    expect(resultsIn(bodies[1])[0]).toContain('Dear Countess');
    expect(output).toMatchObject({ decision: 'edited', editedText: 'Dear Countess' });
  });

  test('who refuses ends it without a text and without another call', async () => {
    const { output, bodies } = await work(
      data,
      [asksFor(draft)],
      decide('refused', { refusal_reason: 'rude' }),
    );
    expect(output).toMatchObject({ text: '', decision: 'refused', refusalReason: 'rude' });
    expect(bodies).toHaveLength(1);
  });
});

test('an answer that is asked for again keeps the descriptions of its tools', async () => {
  const says = (text: string, tools: ToldTool[] = []) => ({
    chunks: messageStream(text === '' ? [] : [text], { tools }),
  });
  const { output, bodies } = await work(
    { jsonOutputEnabled: true },
    [says('', [toolCall('shape', {})]), says('seven'), says('{"n":7}')],
    {
      isAnthropic: true,
      lines: 'start -> boss\nshape -> boss@tool-input',
      nodes: { shape: { type: 'set', mappings: [] } },
    },
  );
  expect(output).toMatchObject({ n: 7 });
  expect(bodies[2]?.tools).toEqual(bodies[0]?.tools);
  expect(bodies[2]?.messages).toHaveLength(5);
});

test('another attempt uses no tool again whose failure the model was told', async () => {
  const asked: string[] = [];
  let refusals = 4;
  const { output } = await work(
    {
      isOrchestrator: true,
      subAgentLabels: ['scout'],
      retryEnabled: true,
      retryMaxAttempts: 2,
      retryWaitSeconds: 1,
    },
    ({ body }) => {
      const { model, messages } = body as { model: string; messages: JsonObject[] };
      asked.push(model);
      if (model === 'sub') return refuse(400, { error: { message: 'no such model' } });
      if (messages.at(-1)?.['role'] !== 'tool') {
        return asksFor(toolCall('call_sub_agent', { sub_agent_label: 'scout', prompt: 'go' }));
      }
      return refusals-- > 0 ? refuse(503, { error: { message: 'overloaded' } }) : says('Without');
    },
    { nodes: { scout: { type: 'agent', credentialId: 'c', model: 'sub', userMessage: '$input.text' } } },
  );
  expect(output['text']).toBe('Without');
  expect(asked.filter((model) => model === 'sub')).toHaveLength(1);
});

test('a long result goes by reference, and is read in parts', async () => {
  const long = 'abcdefghij'.repeat(5_000);
  const { bodies } = await work(
    {},
    [
      asksFor(toolCall('big', {})),
      asksFor(toolCall('read_tool_result', { reference: 'tool-1-1', offset: 10, length: 20 })),
      says('Read'),
    ],
    {
      lines: 'start -> boss\nbig -> boss@tool-input',
      nodes: { big: { type: 'set', mappings: [{ key: 'text', value: long }] } },
    },
  );
  const [shown = '', part = ''] = resultsIn(bodies[2]);
  expect(JSON.parse(shown)).toMatchObject({ reference: 'tool-1-1', characters: 50_011 });
  expect(shown.length).toBeLessThan(6_000);
  expect(JSON.parse(part)).toEqual({ text: 'bcdefghijabcdefghija', next_offset: 30 });
});

test('a conversation that nearly fills the window is summarised once in the middle', async () => {
  const result = 'x'.repeat(3_000);
  const { steps, bodies, output } = await work(
    { contextWindowTokens: 2_000, systemInstruction: 'Be brief' },
    ({ body }) => {
      const { messages } = body as { messages: JsonObject[] };
      if (String(messages[0]?.['content']).startsWith('You summarise')) return says('Two results so far');
      const isSummarised = JSON.stringify(messages).includes('Two results so far');
      return isSummarised ? says('Done') : asksFor(toolCall('big', {}));
    },
    {
      lines: 'start -> boss\nbig -> boss@tool-input',
      nodes: { big: { type: 'set', mappings: [{ key: 'text', value: result }] } },
    },
  );
  expect(steps.filter((key) => key.startsWith('compress'))).toEqual(['compress-3']);
  expect(output['text']).toBe('Done');
  const last = bodies.at(-1)?.messages ?? [];
  expect(last[0]).toMatchObject({ role: 'system', content: 'Be brief' });
  expect(last[1]).toMatchObject({ role: 'user', content: 'Do it' });
  expect(resultsIn(bodies.at(-1))).toHaveLength(1);
});

test('the length of an image says nothing about the window', async () => {
  const { steps, bodies } = await work(
    {
      contextWindowTokens: 5_000,
      imageInputEnabled: true,
      imageInput: `data:image/png;base64,${'A'.repeat(40_000)}`,
    },
    [asksFor(toolCall('shape', {})), asksFor(toolCall('shape', {})), says('Done')],
    { lines: 'start -> boss\nshape -> boss@tool-input', nodes: { shape: { type: 'set', mappings: [] } } },
  );
  expect(steps.filter((key) => key.startsWith('compress'))).toEqual([]);
  expect(JSON.stringify(bodies[2]?.messages).length).toBeGreaterThan(40_000);
});

test('a fallback that had to summarise stays the model of the agent', async () => {
  const big = { type: 'set', mappings: [{ key: 'text', value: 'x'.repeat(3_000) }] };
  const { output, bodies } = await work(
    { contextWindowTokens: 2_000, fallbackCredentialId: 'other', fallbackModel: 'm2' },
    ({ body }) => {
      const { model, messages } = body as { model: string; messages: JsonObject[] };
      const text = JSON.stringify(messages);
      if (text.includes('You summarise')) {
        return model === 'm1' ? refuse(400, { error: { message: 'gone' } }) : says('Two so far');
      }
      return text.includes('Two so far') ? says('Done') : asksFor(toolCall('big', {}));
    },
    { lines: 'start -> boss\nbig -> boss@tool-input', nodes: { big } },
  );
  expect(output).toMatchObject({ text: 'Done', model: 'm2', fallbackUsed: true });
  expect(bodies).toHaveLength(5);
});

describe('Python tools', () => {
  const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const tools = [
    { name: 'double', description: 'Doubles', parameters, code: 'def double(n):\n  return n * 2' },
  ];
  const jobs: { purpose: string; job: CodeJob }[] = [];
  const sandbox = (answer: (job: CodeJob) => Promise<Json>) => ({
    services: {
      runCode: async (purpose: string, job: CodeJob) => {
        jobs.push({ purpose, job });
        return { result: await answer(job), logs: '', install: { ok: true, tool: 'none', log: '' } };
      },
    },
  });
  const double = ({ values }: CodeJob) => Promise.resolve({ doubled: Number(values['n']) * 2 });

  test('§8.4: are offered with their schema and called in a sandbox without network', async () => {
    jobs.length = 0;
    const replies = [asksFor(toolCall('double', { n: '21' })), says('42')];
    const { output, bodies, steps } = await work({ tools, toolTimeoutSeconds: 7 }, replies, sandbox(double));
    expect(listTools(bodies[0])).toMatchObject([{ name: 'double', description: 'Doubles', parameters }]);
    expect(jobs).toMatchObject([
      {
        purpose: 'tool',
        job: {
          language: 'python',
          entry: 'double',
          values: { n: 21 },
          passes: 'named',
          requirements: [],
          allow_network: false,
          timeout_ms: 7_000,
        },
      },
    ]);
    expect(resultsIn(bodies[1])).toEqual(['{"doubled":42}']);
    expect(output['tool_calls']).toEqual([
      { name: 'double', arguments: { n: 21 }, result: { doubled: 42 }, elapsed_ms: expect.any(Number) },
    ]);
    expect(steps).toEqual(['model-1', 'tool-1-1', 'model-2']);
  });

  test('take their schema as text, too', async () => {
    const asText = [{ name: 'double', parameters: JSON.stringify(parameters), code: 'x' }];
    const { bodies } = await work({ tools: asText }, [says('Done')], sandbox(double));
    expect(listTools(bodies[0])).toMatchObject([{ name: 'double', parameters }]);
  });

  test('an error of the function is returned to the model', async () => {
    const failing = sandbox(() =>
      Promise.reject(new NodeFailure({ kind: 'thrown', message: 'Line 2: ValueError: no' })),
    );
    const replies = [asksFor(toolCall('double', { n: 1 })), says('It failed')];
    const { output, bodies } = await work({ tools }, replies, failing);
    expect(resultsIn(bodies[1])).toEqual(['{"error":"Line 2: ValueError: no"}']);
    expect(output['text']).toBe('It failed');
  });

  test('§7: without a sandbox the agent fails and runs nothing', async () => {
    const message = 'No sandbox is started, because no container engine can be reached.';
    const missing = sandbox(() => Promise.reject(new NodeFailure({ kind: 'sandbox', message })));
    const { run, bodies } = await work({ tools }, [asksFor(toolCall('double', { n: 1 }))], missing);
    expect(run.finished.failure).toMatchObject({ kind: 'sandbox', message });
    expect(bodies).toHaveLength(1);
  });
});

describe('skills with a script', () => {
  const content = '---\nname: price-list\ndescription: Reads prices\n---\nPass the product.';
  const skill = { name: 'Prices', content, files: [{ path: './scripts/run.py', content: 'print(1)' }] };
  const bytes = (text: string) => new TextEncoder().encode(text);
  const said = (message: string) => Promise.reject(new NodeFailure({ kind: 'thrown', message }));
  const jobs: ScriptJob[] = [];
  type Left = { printed?: string; files?: Record<string, string> };
  const sandbox = (answer: (job: ScriptJob) => Left | Promise<Left>) => ({
    services: {
      runScript: async (job: ScriptJob) => {
        jobs.push(job);
        const { printed = '', files = {} } = await answer(job);
        return { printed, files: new Map(Object.entries(files).map(([path, text]) => [path, bytes(text)])) };
      },
    },
  });
  const uses = (name: string, input: unknown = { input: 'Tea' }) => [
    asksFor(toolCall(name, input)),
    says('Done'),
  ];
  const decodeFiles = ({ files }: ScriptJob) =>
    Object.fromEntries([...files].map(([path, data]) => [path, new TextDecoder().decode(data)]));
  beforeEach(() => void jobs.splice(0));

  test('are a tool that hands its text to the script and what it printed to the model', async () => {
    const given = {
      ...skill,
      timeoutSeconds: '7',
      files: [
        ...skill.files,
        { path: 'requirements.txt', content: 'six==1.17.0 # dates' },
        { path: 'logo.png', content: 'AAEC', encoding: 'base64', mimeType: 'image/png' },
      ],
    };
    const script = uses('skill_Prices');
    const { output, bodies, steps } = await work(
      { skills: [given] },
      script,
      sandbox(() => ({ printed: '{"eur": 4}\n' })),
    );
    expect(bodies[0]?.messages[0]?.['content']).toContain('Pass the product.');
    expect(listTools(bodies[0])).toMatchObject([
      {
        name: 'skill_Prices',
        description: 'Reads prices',
        parameters: { properties: { input: { type: 'string' } }, required: ['input'] },
      },
    ]);
    expect(jobs).toMatchObject([
      { script: 'scripts/run.py', input: 'Tea', requirements: ['six==1.17.0'], timeout_ms: 7_000 },
    ]);
    expect(jobs.map(decodeFiles)).toEqual([
      {
        'SKILL.md': content,
        'scripts/run.py': 'print(1)',
        'requirements.txt': 'six==1.17.0 # dates',
        'logo.png': '\u0000\u0001\u0002',
      },
    ]);
    expect(resultsIn(bodies[1])).toEqual(['{"eur":4}']);
    expect(output).toMatchObject({
      text: 'Done',
      skills_used: ['Prices'],
      tool_calls: [
        { name: 'skill_Prices', arguments: { input: 'Tea' }, result: { eur: 4 }, source: 'skill' },
      ],
    });
    expect(output).not.toHaveProperty('_generated_files');
    expect(steps).toEqual(['model-1', 'tool-1-1', 'model-2']);
  });

  test('printed text that is not JSON is the result as it is, and the time limit is 30 s by default', async () => {
    const { bodies } = await work(
      { skills: [skill] },
      uses('skill_Prices'),
      sandbox(() => ({ printed: '4 EUR\n' })),
    );
    expect(resultsIn(bodies[1])).toEqual(['4 EUR']);
    expect(jobs[0]).toMatchObject({ timeout_ms: 30_000 });
  });

  test('main.py is what runs, and skills without a script or of the same name keep apart', async () => {
    const files = [
      { path: 'a.py', content: '' },
      { path: 'lib/main.py', content: '' },
    ];
    const skills = [
      { name: 'x', files },
      { name: 'x', files },
      { name: 'y', files: [{ path: 'a.txt' }] },
    ];
    const { bodies } = await work(
      { skills },
      uses('skill_x_2'),
      sandbox(() => ({})),
    );
    expect(listTools(bodies[0]).map(({ name }) => name)).toEqual(['skill_x', 'skill_x_2']);
    expect(jobs[0]).toMatchObject({ script: 'lib/main.py' });
  });

  test('what a script leaves in _OUTPUT_DIR is stored, for the model and in the output', async () => {
    const leaves = sandbox(() => ({ printed: '{"rows": 2}', files: { 'out/prices.csv': 'a,b' } }));
    const { output, bodies } = await work({ skills: [skill] }, uses('skill_Prices'), leaves);
    const file = {
      id: 'file-1',
      filename: 'prices.csv',
      mime_type: 'application/octet-stream',
      size_bytes: 3,
      download_url: '/api/files/dl/prices.csv',
    };
    expect(JSON.parse(resultsIn(bodies[1])[0] ?? '')).toEqual({ rows: 2, _generated_files: [file] });
    expect(output['_generated_files']).toEqual([file]);
  });

  test('the files of an agent that was asked are in the output of the one that asked, too', async () => {
    const leaves = sandbox(() => ({ printed: '{"rows": 2}', files: { 'out/prices.csv': 'a,b' } }));
    const { output } = await work(
      { isOrchestrator: true, subAgentLabels: ['scout'] },
      ({ body }) => {
        const { model, messages } = body as { model: string; messages: JsonObject[] };
        const isDone = messages.at(-1)?.['role'] === 'tool';
        if (isDone) return says('Done');
        return asksFor(
          model === 'sub'
            ? toolCall('skill_Prices', { input: 'Tea' })
            : toolCall('call_sub_agent', { sub_agent_label: 'scout', prompt: 'go' }),
        );
      },
      {
        ...leaves,
        lines: 'start -> boss',
        nodes: {
          scout: {
            type: 'agent',
            credentialId: 'c',
            model: 'sub',
            userMessage: '$input.text',
            skills: [skill],
          },
        },
      },
    );
    expect(output['_generated_files']).toMatchObject([{ id: 'file-1', filename: 'prices.csv' }]);
  });

  test('an error of the script, and arguments without a text, go to the model', async () => {
    const failing = sandbox(() => said('The script ended with exit code 1:\nValueError: no price'));
    const { output, bodies } = await work({ skills: [skill] }, uses('skill_Prices'), failing);
    expect(resultsIn(bodies[1])).toEqual([
      '{"error":"The script ended with exit code 1:\\nValueError: no price"}',
    ]);
    expect(output['text']).toBe('Done');
    const without = await work(
      { skills: [skill] },
      uses('skill_Prices', {}),
      sandbox(() => ({})),
    );
    expect(resultsIn(without.bodies[1])[0]).toContain('"input\\" is required');
    expect(jobs).toHaveLength(1);
  });

  test('§7: without a sandbox the agent fails and runs nothing', async () => {
    const message = 'No sandbox is started, because no container engine can be reached.';
    const missing = sandbox(() => Promise.reject(new NodeFailure({ kind: 'sandbox', message })));
    const { run, bodies } = await work({ skills: [skill] }, uses('skill_Prices'), missing);
    expect(run.finished.failure).toMatchObject({ kind: 'sandbox', message });
    expect(bodies).toHaveLength(1);
  });

  describe('may ask a person', () => {
    const asking = (request: string) =>
      sandbox(() => ({ printed: '{"to": "Ada"}', files: { '_hitl_request.json': request } }));
    const request = JSON.stringify({ draft_text: 'Dear Ada', summary: 'A letter' });
    const decided = (decision: string, more: JsonObject = {}): Asked => ({
      ...asking(request),
      decisions: { 'tool-1-1/review': { decision, data: more } },
    });
    const data = { skills: [skill], hitlEnabled: true };

    test('with the draft and what is to be decided', async () => {
      const waiting = { ...asking(request), decisions: 'none' as const };
      const { run } = await work(data, uses('skill_Prices'), waiting);
      expect(run.trace.waits).toMatchObject([
        { kind: 'review', payload: { summary: 'A letter', draftText: 'Dear Ada' } },
      ]);
    });

    test('who edits the draft', async () => {
      const { output, bodies } = await work(
        data,
        uses('skill_Prices'),
        decided('edited', { edited_text: 'Dear Countess' }),
      );
      expect(JSON.parse(resultsIn(bodies[1])[0] ?? '')).toEqual({
        to: 'Ada',
        decision: 'edited',
        approved_markdown: 'Dear Countess',
      });
      expect(output).not.toHaveProperty('_generated_files');
      expect(jobs).toHaveLength(1);
    });

    test('who refuses, which ends the agent', async () => {
      const { output, bodies } = await work(
        data,
        uses('skill_Prices'),
        decided('refused', { refusal_reason: 'rude' }),
      );
      expect(bodies).toHaveLength(1);
      expect(output).toMatchObject({ text: '', decision: 'refused' });
    });

    test.each([
      ['is off', { hitlEnabled: false }, request, 'switch it on'],
      ['is not JSON', {}, '{', 'is not a JSON object'],
      ['has no draft', {}, '{"summary": "x"}', 'draft_text'],
    ])('a request that %s goes back to the model as an error', async (_, more, text, problem) => {
      const { bodies } = await work({ ...data, ...more }, uses('skill_Prices'), asking(text));
      expect(resultsIn(bodies[1])[0]).toContain(problem);
    });
  });
});

describe('memory', () => {
  const place = { workflow_id: 'w', canvas_node_id: 'boss' };
  const ada = { entity_name: 'Ada', entity_type: 'person', properties: { city: 'Rome' }, confidence: 1 };
  const facts = {
    nodes: [{ entity_name: 'Ada', entity_type: 'person', properties: [{ name: 'city', value: 'Bern' }] }],
    edges: [],
  };
  const own = (): AgentMemory => ({ place, name: 'boss', permission: 'write', nodes: [ada], edges: [] });
  const store = (memories: AgentMemory[], isShared = false) => {
    const merged: [MemoryPlace, MemoryFacts][] = [];
    const asked: RememberingAgent[] = [];
    const memoriesOf: AgentMemories = {
      isShared: () => Promise.resolve(isShared),
      read: (agent) => {
        asked.push(agent);
        return Promise.resolve(memories);
      },
      merge: (_, ...merge) => {
        merged.push(merge);
        return Promise.resolve(0);
      },
    };
    return { merged, asked, services: { memories: memoriesOf } };
  };
  const remembering = { persistentMemoryEnabled: true, userMessage: 'Where does Ada live now?' };
  const collectMetadata = ({ events }: Awaited<ReturnType<typeof work>>['run']) =>
    events.flatMap((event) => (event.type === 'node_finished' && event.metadata ? [event.metadata] : []));

  test('goes into the instruction as data, and what the run taught is written in a step of its own', async () => {
    const { merged, asked, services } = store([own()]);
    const { run, output, steps, bodies } = await work(
      { ...remembering, systemInstruction: 'Be brief' },
      [says('In Bern'), says(JSON.stringify(facts))],
      { services },
    );
    expect(output['text']).toBe('In Bern');
    expect(asked).toEqual([{ id: 'boss', keeps_own: true, per_conversation: true }]);
    expect(steps).toEqual(['memory', 'model-1', 'memory-facts', 'memory-write-1']);
    const system = String(bodies[0]?.messages[0]?.['content']);
    expect(system).toMatch(/^Be brief\n\nBetween the marks are facts/);
    expect(system).toContain('{"entity_name":"Ada","entity_type":"person","properties":{"city":"Rome"}}');
    const conversation = String(bodies[1]?.messages.at(-1)?.['content']);
    expect(conversation).toContain('"known_entities":["Ada"],"user":"Where does Ada live now?"');
    expect(merged).toEqual([[place, { nodes: [{ ...ada, properties: { city: 'Bern' } }], edges: [] }]]);
    expect(collectMetadata(run)).toEqual([{ memory: { nodes: 1, edges: 0 } }]);
  });

  test('one that another agent shares is used without an own one, and written only with the right to', async () => {
    const read: AgentMemory = { ...own(), name: 'other', permission: 'read' };
    const { merged, asked, services } = store([read], true);
    const data = { ...remembering, persistentMemoryEnabled: false };
    const { steps, bodies } = await work(data, [says('In Rome')], { services });
    expect(asked).toMatchObject([{ id: 'boss', keeps_own: false }]);
    expect(steps).toEqual(['memory', 'model-1']);
    expect(JSON.stringify(bodies[0])).toContain('memory of=');
    expect(merged).toEqual([]);
  });

  test.each<[string, FakeReply, string]>([
    ['no JSON', says('I know nothing'), 'cannot be read'],
    ['a refusal of the service', refuse(400, { error: { message: 'no' } }), 'no'],
  ])('that cannot be updated (%s) leaves the answer as it is', async (_, reply, problem) => {
    const { merged, services } = store([own()]);
    const { run, output } = await work(remembering, [says('In Bern'), reply], { services });
    expect(output['text']).toBe('In Bern');
    expect(merged).toEqual([]);
    expect(collectMetadata(run)).toEqual([
      { memory: { nodes: 0, edges: 0, problem: expect.stringContaining(problem) } },
    ]);
    expect(run.trace.logged).toMatchObject([{ level: 'warn' }]);
  });

  test('costs nothing more after a limit of tokens', async () => {
    const { merged, services } = store([own()]);
    const data = { ...remembering, maxTotalTokens: 1, subWorkflowIds: ['w1'] };
    const replies = [asksFor(toolCall('call_sub_workflow', { workflow_id: 'w1', inputs: {} }))];
    const { output, bodies } = await work(data, replies, { services, workflows: { w1: {} } });
    expect(output['limit_reached']).toBe('maxTotalTokens');
    expect(bodies).toHaveLength(1);
    expect(merged).toEqual([]);
  });
});

test('the Responses API carries tools, their results and thoughts from turn to turn', async () => {
  const tools = [toolCall('call_sub_workflow', { workflow_id: 'w1', inputs: {} })];
  const { output, bodies } = await work(
    { responsesApiEnabled: true, subWorkflowIds: ['w1'], reasoningEffort: 'low' },
    [
      { chunks: responseStream([], { thought: 'sealed', tools }) },
      { chunks: responseStream(['Done'], { cached: 4 }) },
    ],
    { workflows: { w1: {} } },
  );
  expect(output).toMatchObject({ text: 'Done', tool_calls: [{ name: 'call_sub_workflow' }] });
  const [, second] = bodies as unknown as { input: JsonObject[] }[];
  expect(second?.input.map(({ type, role }) => type ?? role)).toEqual([
    'developer',
    'user',
    'reasoning',
    'function_call',
    'function_call_output',
  ]);
});

test('a message that the guardrails block reaches no model and no tool', async () => {
  const { run, bodies, steps } = await work(
    {
      guardrailsEnabled: true,
      guardrailsCategories: ['violence'],
      guardrailCredentialId: 'c',
      guardrailModel: 'guard',
      persistentMemoryEnabled: true,
    },
    [says('{"violence": "high"}')],
  );
  expect(run.finished.failure).toMatchObject({
    message: 'Guardrail violation: message blocked (violence)',
    final: true,
  });
  expect(bodies).toHaveLength(1);
  expect(steps).toEqual(['guardrails']);
});

describe('what cannot be done yet', () => {
  test.each<[string, JsonObject, string]>([
    ['a Python tool without a name', { tools: [{ name: '', code: 'x' }] }, 'tools.0.name'],
    ['a name that is no function', { tools: [{ name: 'a b', code: 'x' }] }, 'tools.0.name'],
    ['a Python tool without code', { tools: [{ name: 'f', code: ' ' }] }, 'tools.0.code'],
    [
      'a schema that is no JSON',
      { tools: [{ name: 'f', code: 'x', parameters: '{"type"' }] },
      'tools.0.parameters',
    ],
    [
      'two Python tools of one name',
      {
        tools: [
          { name: 'f', code: 'x' },
          { name: 'f', code: 'y' },
        ],
      },
      'tools.1.name',
    ],
    ['a file of a skill without a path', { skills: [{ files: [{ path: '' }] }] }, 'skills.0.files.0.path'],
    [
      'a file outside of its skill',
      { skills: [{ files: [{ path: 'a/../../b' }] }] },
      'skills.0.files.0.path',
    ],
    [
      'a file of a skill that is not base64',
      { skills: [{ files: [{ path: 'a.py' }, { path: 'b.png', content: '?', encoding: 'base64' }] }] },
      'skills.0.files.1.content',
    ],
    [
      'a package of a skill that is a file',
      { skills: [{ files: [{ path: 'a.py' }, { path: 'requirements.txt', content: './local' }] }] },
      'skills.0.files.1.content',
    ],
    ['a skill without time', { skills: [{ timeoutSeconds: 0 }] }, 'skills.0.timeoutSeconds'],
    [
      'a stdio server without a command',
      { mcpConnections: [{ transport: 'stdio', command: ' ' }] },
      'mcpConnections.0.command',
    ],
    [
      'guardrails without a model',
      { guardrailsEnabled: true, guardrailsCategories: ['violence'], guardrailCredentialId: 'c' },
      'guardrailModel',
    ],
    ['review of JSON', { hitlEnabled: true, jsonOutputEnabled: true }, 'hitlEnabled'],
    ['§8.4 Auto with the Responses API', { model: 'Auto', responsesApiEnabled: true }, 'model'],
    ['§8.4 Auto in batch mode', { model: 'Auto', batchModeEnabled: true }, 'model'],
    ['§8.4 Auto with images as answers', { model: 'Auto', outputType: 'image' }, 'model'],
    ['images as answers', { outputType: 'image' }, 'outputType'],
    ['batch mode', { batchModeEnabled: true }, 'batchModeEnabled'],
    ['no credential', { credentialId: '' }, 'credentialId'],
    ['no model', { model: '' }, 'model'],
  ])('is refused before anything is paid: %s', async (_, data, field) => {
    const { run, bodies } = await work(data, []);
    expect(run.finished.failure).toMatchObject({ field });
    expect(bodies).toEqual([]);
  });
});
