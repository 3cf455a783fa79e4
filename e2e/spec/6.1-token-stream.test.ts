import { chatStream, type FakeReply, startFakeProvider } from '@millrace/models/testing';
import {
  createPortal,
  createWorkflow,
  executeUrl,
  graph,
  parseFrames,
  storeModelCredential,
  useTestApp,
} from '@millrace/server/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { openSse } from '../support/sse-reader.ts';

let replies: FakeReply[] = [];
const server = await startFakeProvider(() => replies.shift() ?? { chunks: chatStream(['unexpected']) });
afterAll(() => server.stop());
const app = await useTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true' } });
const user = await app.user();
const base = await app.listen();
const SECRET = 'sk-live-4f9a8b7c6d5e';
const credentialId = await storeModelCredential(user, server.url, SECRET);

interface Token {
  type: string;
  node_label: string;
  step: string;
  offset: number;
  text: string;
}

const says = (...pieces: string[]): FakeReply => ({ chunks: chatStream(pieces) });
/** Writes the second piece only when it is released. */
function holdsBehind(first: string, second: string): { reply: FakeReply; release: () => void } {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const [head = '', beginning = '', ...rest] = chatStream([first, second]);
  return { reply: { chunks: [head, beginning, held, ...rest] }, release };
}
const model = (more: object = {}) => ({
  credentialId,
  model: 'm1',
  userMessage: '$start.body.text',
  ...more,
});

const ASK = () =>
  graph(
    [
      ['start', 'textInput'],
      ['ask', 'llm', model()],
      ['out', 'output', { message: '$ask.text' }],
    ],
    ['start>ask', 'ask>out'],
  );

async function stream(content: ReturnType<typeof graph>, query: string) {
  const id = await createWorkflow(user, content);
  const answer = await app.call('POST', executeUrl(id, `/stream${query}`), { text: 'hi' });
  expect(answer.statusCode).toBe(200);
  const frames = parseFrames(answer.body).map(
    ({ data }) => data as unknown as Token & Record<string, unknown>,
  );
  const tokens = frames.filter(({ type }) => type === 'node_token');
  return { body: answer.body, frames, tokens, end: frames.at(-1) };
}

/** The text that a reader has after the tokens. */
function joinTokens(tokens: readonly Token[]): string {
  return tokens.reduce((text, token) => {
    expect([0, text.length]).toContain(token.offset);
    return (token.offset === 0 ? '' : text) + token.text;
  }, '');
}

describe('§6.1 the stream of tokens beside the events of the specification', () => {
  it('is off unless asked: strict clients get what §6.1 lists, also those that ask for progress', async () => {
    for (const query of ['', '?node_progress=true', '?tokens=false']) {
      replies = [says('Good ', 'day')];
      const { body, end } = await stream(ASK(), query);
      expect(body).not.toContain('node_token');
      expect(end).toMatchObject({ type: 'execution_complete', outputs: { out: { result: 'Good day' } } });
    }
  });

  it('brings each piece with its node, its step and its place between start and end of the node', async () => {
    replies = [says('Good ', 'day', '!')];
    const { frames, tokens } = await stream(ASK(), '?tokens=true&event_ids=true');
    expect(tokens).toEqual(
      [
        { offset: 0, text: 'Good ' },
        { offset: 5, text: 'day' },
        { offset: 8, text: '!' },
      ].map((piece) => ({
        type: 'node_token',
        node_id: 'ask',
        node_label: 'ask',
        step: 'call',
        ...piece,
      })),
    );
    const order = frames.filter((frame) => frame['node_id'] === 'ask').map(({ type }) => type);
    expect(order[0]).toBe('node_start');
    expect(order.at(-1)).toBe('node_complete');
    expect(frames.map(({ type }) => type)).not.toContain('node_progress');
  });

  it('§5.8: masks secrets that the model repeats over several pieces', async () => {
    const letters = Array.from(`The key is ${SECRET}, keep it.`);
    replies = [says(...letters)];
    const { body, tokens, end } = await stream(ASK(), '?tokens=true');
    expect(joinTokens(tokens)).toBe('The key is sk-live**, keep it.');
    expect(end).toMatchObject({ outputs: { out: { result: 'The key is sk-live**, keep it.' } } });
    expect(body).not.toContain(SECRET.slice(7));
  });

  it('begins anew when the provider drops the answer and is asked again', async () => {
    const dropped = chatStream(['Half an']).slice(0, 2);
    replies = [{ chunks: dropped, end: 'drop' }, says('A whole', ' answer')];
    const { tokens, end } = await stream(ASK(), '?tokens=true');
    expect(tokens[0]).toMatchObject({ offset: 0, text: 'Half an' });
    expect(joinTokens(tokens)).toBe('A whole answer');
    expect(end).toMatchObject({ status: 'success', outputs: { out: { result: 'A whole answer' } } });
  });

  it('a reader that comes later gets the text so far, and the rest as it comes', async () => {
    const { reply, release } = holdsBehind('Hello', ' there');
    replies = [reply];
    const id = await createWorkflow(user, ASK());
    const headers = { authorization: `Bearer ${user.access_token}` };
    const started = await fetch(`${base}${executeUrl(id, '/stream?tokens=true')}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"text":"hi"}',
    });
    const run = started.headers.get('x-execution-id');
    const reader = started.body?.getReader();
    let seen = '';
    while (!seen.includes('"Hello"')) seen += Buffer.from((await reader?.read())?.value ?? []).toString();
    const late = await openSse(`${base}/api/workflows/${id}/executions/${run}/stream?tokens=true`, headers);
    const tokens: Token[] = [];
    for (;;) {
      const frame = await late.next();
      const data = JSON.parse(frame.data) as Token;
      if (data.type === 'node_token') tokens.push(data);
      if (tokens.length === 1) release();
      if (data.type === 'execution_complete') break;
    }
    expect(tokens.map(({ offset, text }) => [offset, text])).toEqual([
      [0, 'Hello'],
      [5, ' there'],
    ]);
    await reader?.cancel();
  });

  it('has a text for each turn of an agent, and none of what it asks beside the answer', async () => {
    const use = { id: 'use_1', name: 'calc', arguments: '{}' };
    replies = [{ chunks: chatStream(['I look.'], { tools: [use] }) }, says('Four', '.')];
    const content = graph(
      [
        ['start', 'textInput'],
        ['lead', 'agent', model()],
        ['out', 'output', { message: '$lead.text' }],
      ],
      ['start>lead', 'lead>out'],
    );
    const { tokens } = await stream(content, '?tokens=true');
    expect(tokens.map(({ step, text }) => `${step}: ${text}`)).toEqual([
      'model-1: I look.',
      'model-2: Four',
      'model-2: .',
    ]);
  });
});

describe('§4.4 tokens in the portal', () => {
  const CHAT = () =>
    graph(
      [
        ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
        ['sort', 'llm', model()],
        ['reply', 'llm', model({ userMessage: '$sort.text' })],
        ['out', 'output', { message: '$input.text' }],
      ],
      ['start>sort', 'sort>reply', 'reply>out'],
    );
  const portal = async (content = CHAT()) => {
    const { url } = await createPortal(user, content, { auth_type: 'jwt' });
    return (query: string) => app.call('POST', `${url}/execute/stream${query}`, { inputs: { text: 'hi' } });
  };

  it('§4.4: visitors who ask see the answer grow, and never what other nodes write', async () => {
    const call = await portal();
    replies = [says('internal note'), says('Dear ', 'visitor')];
    const { body } = await call('?tokens=true');
    expect(body).not.toContain('internal');
    const tokens = parseFrames(body).map(({ data }) => data as unknown as Token);
    expect(joinTokens(tokens.filter(({ type }) => type === 'node_token'))).toBe('Dear visitor');
    replies = [says('internal note'), says('Dear ', 'visitor')];
    expect((await call('')).body).not.toContain('node_token');
  });

  it('§4.4: which text is the answer follows from the graph that runs, not from a newer one', async () => {
    const { id, url } = await createPortal(user, CHAT(), { auth_type: 'jwt' });
    const { reply, release } = holdsBehind('internal', ' note');
    replies = [reply, says('Dear visitor')];
    const started = await fetch(`${base}${url}/execute/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"inputs":{"text":"hi"}}',
    });
    const run = started.headers.get('x-execution-id');
    const answering = graph(
      [
        ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
        ['sort', 'llm', model()],
        ['out', 'output', { message: '$sort.text' }],
      ],
      ['start>sort', 'sort>out'],
    );
    await user.call('PUT', `/api/workflows/${id}`, { ...answering });
    const late = await openSse(`${base}${url}/executions/${run}/stream?tokens=true`, {});
    let body = '';
    while (!body.includes('execution_complete')) {
      body += (await late.next()).data;
      release();
    }
    expect(body).toContain('Dear visitor');
    expect(body).not.toContain('internal');
    await started.body?.cancel();
  });

  it('§4.4: a text that is changed or reviewed before it is the answer is not shown', async () => {
    for (const [data, message] of [
      [{}, '$upper($reply.text)'],
      [{ jsonOutputEnabled: true }, '$input.text'],
    ] as const) {
      const content = graph(
        [
          ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
          ['reply', 'llm', model(data)],
          ['out', 'output', { message }],
        ],
        ['start>reply', 'reply>out'],
      );
      const call = await portal(content);
      replies = [says('{"text":', ' "x"}')];
      expect((await call('?tokens=true')).body).not.toContain('node_token');
    }
  });
});

describe('§5.6 tokens of an MCP call', () => {
  it('§5.6: come with the progress when the call asks for them', async () => {
    const made = await user.call('POST', '/api/mcp/regenerate-key');
    const { mcp_api_key } = made.json<{ mcp_api_key: string }>();
    await createWorkflow(user, ASK(), { mcp_enabled: true, name: 'Ask it' });
    const call = (meta: object) =>
      app.app.inject({
        method: 'POST',
        url: '/api/mcp',
        headers: {
          'x-mcp-key': mcp_api_key,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        payload: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'ask_it', arguments: { text: 'x' }, _meta: { progressToken: 'p', ...meta } },
        },
      });
    replies = [says('Good ', 'day')];
    expect((await call({})).body).not.toContain('node_token');
    replies = [says('Good ', 'day')];
    const { body } = await call({ 'millrace/node_token': true });
    const told = body
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .flatMap((line) => {
        const { params } = JSON.parse(line.slice(6)) as { params?: { _meta?: Record<string, Token> } };
        const { _meta: meta } = params ?? {};
        return meta?.['millrace/node_token'] ?? [];
      });
    expect(joinTokens(told)).toBe('Good day');
    expect(body).toContain('Good day');
  });
});
