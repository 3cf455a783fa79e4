import {
  createWorkflow,
  executeUrl,
  graph,
  parseFrames,
  shareTestApp,
  storeModelCredential,
  type TestApp,
  type TestUser,
} from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasModelEngine, startModel } from './start-model.ts';

interface Answer {
  readonly status: string;
  readonly outputs: Readonly<Record<string, { readonly result?: unknown }>>;
  readonly node_results: readonly {
    readonly node_id: string;
    readonly output: Record<string, unknown>;
    readonly error?: string;
  }[];
}

// The providers of the other tests say what they were told to say. This one generates: an engine that many use, with a small model.
describe.skipIf(!hasModelEngine)('a language model that answers', () => {
  let model: Awaited<ReturnType<typeof startModel>>;
  let app: TestApp;
  let user: TestUser;
  let base: string;
  let credentialId: string;
  beforeAll(async () => {
    model = await startModel();
    app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
    user = await app.user();
    base = await app.listen();
    credentialId = await storeModelCredential(user, model.url);
  });
  afterAll(async () => {
    await app?.close();
    model?.stop();
  });

  const asks = (data: object = {}) => ({
    credentialId,
    model: 'tiny',
    temperature: 0,
    userMessage: '$start.body.text',
    ...data,
  });
  const askGraph = (data: object = {}) =>
    graph(
      [
        ['start', 'textInput'],
        ['ask', 'llm', asks(data)],
        ['out', 'output', { message: '$ask.text' }],
      ],
      ['start>ask', 'ask>out'],
    );
  const run = async (id: string, text: string) => {
    const answer = await user.call('POST', executeUrl(id), { text });
    return answer.json<Answer>();
  };

  it.each([
    ['ping', 'pong'],
    ['capital of Norway?', 'Oslo'],
    ['3+4=', '7'],
    ['repeat: zebra', 'zebra'],
  ])('%s: %s', async (text, result) => {
    const id = await createWorkflow(user, askGraph());
    expect(await run(id, text)).toMatchObject({ status: 'success', outputs: { out: { result } } });
  });

  it('§6.1 streams its answer letter by letter', async () => {
    const id = await createWorkflow(user, askGraph());
    const answer = await user.call('POST', executeUrl(id, '/stream?tokens=true'), {
      text: 'say hello to river',
    });
    const frames = parseFrames(answer.body).map(({ data }) => data as Record<string, unknown>);
    const tokens = frames.filter(({ type }) => type === 'node_token').map(({ text }) => String(text));
    expect(tokens.join('')).toBe('hello river');
    expect(tokens.length).toBeGreaterThan(2);
    expect(frames.at(-1)).toMatchObject({
      type: 'execution_complete',
      outputs: { out: { result: 'hello river' } },
    });
  });

  it('traces count the tokens that the engine has counted', async () => {
    const id = await createWorkflow(user, askGraph());
    await run(id, 'ping');
    const readTrace = async () => {
      const list = await user.call('GET', `/api/traces?workflow_id=${id}`);
      return list.json<{ items: Record<string, unknown>[] }>().items[0];
    };
    // A byte is a token: the roles and the message between their marks, and "pong".
    await expect.poll(readTrace).toMatchObject({ model: 'tiny', prompt_tokens: 23, completion_tokens: 4 });
  });

  it('answers as JSON of the schema that was asked for', async () => {
    const schema = {
      type: 'object',
      properties: {
        label: { type: 'string', enum: ['billing', 'support', 'sales'] },
        urgent: { type: 'boolean' },
      },
      required: ['label', 'urgent'],
      additionalProperties: false,
    };
    const id = await createWorkflow(
      user,
      graph(
        [
          ['start', 'textInput'],
          ['ask', 'llm', asks({ jsonOutputEnabled: true, jsonOutputSchema: JSON.stringify(schema) })],
          ['out', 'output', { message: '$ask.label' }],
        ],
        ['start>ask', 'ask>out'],
      ),
    );
    const { status, outputs } = await run(id, 'classify: my crash');
    expect([status, ['billing', 'support', 'sales'].includes(String(outputs['out']?.result))]).toEqual([
      'success',
      true,
    ]);
  });

  it('§5.6 an agent calls a workflow as a tool over MCP, with an argument that the model has written', async () => {
    const forecast = graph(
      [
        ['start', 'textInput', { inputFields: [{ key: 'city' }] }],
        ['out', 'output', { message: 'Sunny in $start.city' }],
      ],
      ['start>out'],
    );
    const tool = await createWorkflow(user, forecast, {
      name: 'get weather',
      mcp_enabled: true,
    });
    const made = await user.call('POST', '/api/mcp/regenerate-key');
    const { mcp_api_key } = made.json<{ mcp_api_key: string }>();
    const connection = {
      transport: 'streamable_http',
      url: `${base}/api/mcp`,
      headers: { 'X-MCP-Key': mcp_api_key },
    };
    const document = graph(
      [
        ['start', 'textInput'],
        ['lead', 'agent', asks({ mcpConnections: [connection] })],
        ['out', 'output', { message: '$lead.text' }],
      ],
      ['start>lead', 'lead>out'],
    );
    const id = await createWorkflow(user, document);
    expect(await run(id, 'weather in Paris')).toMatchObject({ status: 'success' });
    const history = await user.call('GET', `/api/workflows/${tool}/history`);
    const { items } = history.json<{ items: { id: string }[] }>();
    expect(items).toHaveLength(1);
    const entry = await user.call('GET', `/api/workflows/${tool}/history/${items[0]?.id}`);
    const { inputs, outputs } = entry.json<Answer & { inputs: { body: { city: string } } }>();
    expect(inputs.body.city).toMatch(/\S/);
    expect(outputs['out']).toMatchObject({ result: `Sunny in ${inputs.body.city}` });
  });

  it('a hundred questions of one run come back to their own places', async () => {
    const sums = Array.from({ length: 10 }, (_, a) =>
      Array.from({ length: 10 }, (_, b) => [a, b] as const),
    ).flat();
    const document = graph(
      [
        ['start', 'textInput'],
        ['each', 'loop', { arrayExpression: '$start.body.questions' }],
        ['ask', 'llm', asks({ userMessage: '$each.item' })],
        ['out', 'output', { message: `$each.results.map("item.text").join(",")` }],
      ],
      ['start>each', 'each:loop>ask', 'ask>each:loop', 'each:done>out'],
    );
    const id = await createWorkflow(user, document);
    const answer = await user.call('POST', executeUrl(id), { questions: sums.map(([a, b]) => `${a}+${b}=`) });
    const { status, outputs } = answer.json<Answer>();
    expect([status, outputs['out']?.result]).toEqual(['success', sums.map(([a, b]) => a + b).join(',')]);
  });

  it('a prompt that is too long fails with the words of the engine, and is not sent again', async () => {
    const id = await createWorkflow(user, askGraph());
    const { status, ...rest } = await run(id, 'a'.repeat(2_000));
    expect(status).toBe('error');
    expect(JSON.stringify(rest)).toContain('maximum context length is 1024 tokens');
  });
});
