import type { McpConfig, McpTool, McpToolResult } from '@millrace/contracts';
import {
  createTestApp,
  createWorkflow,
  ECHO,
  graph,
  type TestApp,
  type TestUser,
  until,
} from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSse } from '../support/sse-reader.ts';

let app: TestApp;
let user: TestUser;
let key: string;
let base: string;
beforeAll(async () => {
  app = await createTestApp();
  user = await app.user();
  key = await regenerateKey(user);
  base = await app.listen();
});
afterAll(() => app.close());

const regenerateKey = async (person: TestUser) =>
  (await person.call('POST', '/api/mcp/regenerate-key')).json<{ mcp_api_key: string }>().mcp_api_key;

const named = (name: string, more: Record<string, unknown> = {}) => ({ name, mcp_enabled: true, ...more });
const withKey = (given = key) => ({ 'x-mcp-key': given });
const fetchTools = async (given = key) =>
  (await app.call('GET', '/api/mcp/tools', undefined, withKey(given))).json<{ tools: McpTool[] }>().tools;
const callTool = (name: string, input: unknown, headers: Record<string, string> = withKey()) =>
  app.call('POST', '/api/mcp/tools/call', { name, arguments: input }, headers);
const rpc = (method: string, params: unknown = {}, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

const FIELDS = graph(
  [
    [
      'start',
      'textInput',
      {
        inputFields: [{ key: 'city' }, { key: 'days', defaultValue: 3 }, { key: 'unit', defaultValue: 'C' }],
      },
    ],
    ['out', 'output', { message: '$start.city' }],
  ],
  ['start>out'],
);

describe('§4.3 and §5.6 MCP: who may call', () => {
  it('§5.6: the key in X-MCP-Key or in Authorization: Bearer', async () => {
    await createWorkflow(user, ECHO, named('Who may'));
    for (const headers of [withKey(), { authorization: `Bearer ${key}` }]) {
      for (const [method, path, body] of [
        ['GET', '/tools', undefined],
        ['POST', '/tools/call', { name: 'who_may', arguments: { text: 'x' } }],
        ['POST', '/message', rpc('tools/list')],
        ['POST', '/sse', rpc('tools/list')],
      ] as const) {
        const answer = await app.call(method, `/api/mcp${path}`, body, headers);
        expect([path, answer.statusCode]).toEqual([path, 200]);
      }
    }
  });

  const routes = [
    ['GET', '/tools'],
    ['GET', '/sse'],
    ['POST', '/tools/call'],
    ['POST', '/message'],
    ['POST', '/sse'],
    ['POST', ''],
  ] as const;

  it.each(routes)(
    '§5.6: %s %s refuses what is no key, and says which scheme applies',
    async (method, path) => {
      for (const headers of [
        {},
        withKey('0'.repeat(64)),
        { authorization: `Bearer ${user.access_token}` },
        { authorization: `Basic ${key}` },
        { cookie: `access_token=${user.access_token}` },
      ]) {
        const answer = await app.call(method, `/api/mcp${path}`, method === 'GET' ? undefined : {}, headers);
        expect(answer.statusCode).toBe(401);
        expect(answer.headers['www-authenticate']).toContain('Bearer');
      }
    },
  );

  it.each(routes)('§5.6: %s %s takes keys from headers only, and says why', async (method, path) => {
    for (const name of ['key', 'token', 'X-MCP-Key', 'access_token']) {
      const body = method === 'GET' ? undefined : {};
      const answer = await app.call(method, `/api/mcp${path}?${name}=${key}`, body);
      expect(answer.statusCode).toBe(401);
      expect(answer.headers['www-authenticate']).toContain('Bearer');
      expect(answer.json<{ detail: string }>().detail).toContain('headers only');
    }
  });

  it('§5.6: the key opens nothing else', async () => {
    for (const headers of [withKey(), { authorization: `Bearer ${key}` }]) {
      for (const url of ['/api/auth/me', '/api/workflows', '/api/mcp/config']) {
        expect((await app.call('GET', url, undefined, headers)).statusCode).toBe(401);
      }
    }
  });

  it('§5.6: it is shown once and stored hashed; a new one ends the former one', async () => {
    const person = await app.user();
    const before = (await person.call('GET', '/api/mcp/config')).json<McpConfig>();
    expect(before).toMatchObject({ mcp_api_key: null, mcp_api_key_set: false });
    const first = await regenerateKey(person);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    const after = await person.call('GET', '/api/mcp/config');
    expect(after.json()).toMatchObject({ mcp_api_key: null, mcp_api_key_set: true });
    expect(after.body).not.toContain(first);
    const { rows } = await app.services.database.sql.query<{ text: string }>({
      text: 'SELECT mcp_keys::text AS text FROM mcp_keys',
    });
    expect(rows.map(({ text }) => text).join()).not.toContain(first);
    const second = await regenerateKey(person);
    expect((await app.call('GET', '/api/mcp/tools', undefined, withKey(first))).statusCode).toBe(401);
    expect((await app.call('GET', '/api/mcp/tools', undefined, withKey(second))).statusCode).toBe(200);
  });

  it('a page of another origin, or another name for this server (DNS rebinding), is refused', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: 'evil.example', origin: 'http://evil.example' },
      { host: 'localhost.evil.example' },
    ]) {
      const answer = await app.call('GET', '/api/mcp/tools', undefined, { ...withKey(), ...headers });
      expect(answer.statusCode).toBe(403);
    }
    const own = { ...withKey(), host: 'localhost:4600', origin: 'http://localhost:4600' };
    expect((await app.call('GET', '/api/mcp/tools', undefined, own)).statusCode).toBe(200);
  });
});

describe('§2.1 mcp_enabled: which workflows are tools', () => {
  it('§2.1: only those that are switched on, under names that derive from theirs', async () => {
    const person = await app.user();
    const own = await regenerateKey(person);
    await createWorkflow(person, ECHO, named('Send the Weekly-Report (v2)!'));
    await createWorkflow(person, ECHO, { name: 'Not a tool' });
    await createWorkflow(person, ECHO, named('send the weekly report v2'));
    await createWorkflow(person, ECHO, named('日本'));
    const names = (await fetchTools(own)).map(({ name }) => name);
    expect(names).toEqual(['send_the_weekly_report_v2', 'send_the_weekly_report_v2_2', 'workflow']);
  });

  it('a workflow is no tool before it is published', async () => {
    const person = await app.user();
    const own = withKey(await regenerateKey(person));
    const made = await person.call('POST', '/api/workflows?draft=true', { name: 'Not yet', ...ECHO });
    const { id } = made.json<{ id: string }>();
    const on = await person.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: true });
    expect(on.json()).toMatchObject({ mcp_enabled: true, tool_name: null });
    expect(await fetchTools(own['x-mcp-key'])).toEqual([]);
    expect((await callTool('not_yet', {}, own)).json()).toMatchObject({ isError: true });
    await person.call('POST', `/api/workflows/${id}/publish`);
    expect((await fetchTools(own['x-mcp-key'])).map(({ name }) => name)).toEqual(['not_yet']);
    expect((await callTool('not_yet', { text: 'x' }, own)).json()).toMatchObject({ isError: false });
  });

  it('§2.1: a collaborator has a switch of their own, on their share or beside that of their team', async () => {
    const [owner, direct, member] = [await app.user(), await app.user(), await app.user()];
    const id = await createWorkflow(owner, ECHO, named('Shared tool'));
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: direct.email });
    const team_id = (await owner.call('POST', '/api/teams', { name: 'T' })).json<{ id: string }>().id;
    await owner.call('POST', `/api/teams/${team_id}/members`, { email: member.email });
    await owner.call('POST', `/api/workflows/${id}/team-shares`, { team_id });
    for (const person of [direct, member]) {
      const theirs = await regenerateKey(person);
      expect(await fetchTools(theirs)).toEqual([]);
      const on = await person.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: true });
      expect(on.json()).toMatchObject({ id, mcp_enabled: true, tool_name: 'shared_tool' });
      expect((await fetchTools(theirs)).map(({ name }) => name)).toEqual(['shared_tool']);
      await person.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: false });
      expect(await fetchTools(theirs)).toEqual([]);
    }
    expect((await fetchTools(await regenerateKey(owner))).map(({ name }) => name)).toEqual(['shared_tool']);
    await direct.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: true });
    await owner.call('DELETE', `/api/workflows/${id}/shares/${direct.id}`);
    expect(await fetchTools(await regenerateKey(direct))).toEqual([]);
  });

  it('the schema of a tool says what the input fields ask for, and its hints what the nodes do', async () => {
    const person = await app.user();
    const own = await regenerateKey(person);
    await createWorkflow(person, FIELDS, named('Weather', { description: 'How it will be' }));
    const http = graph(
      [
        ['start', 'textInput'],
        ['post', 'http', { curl: "curl -X POST 'https://example.com'" }],
      ],
      ['start>post'],
    );
    await createWorkflow(person, http, named('Writes'));
    const [weather, writes] = await fetchTools(own);
    expect(weather).toMatchObject({
      name: 'weather',
      title: 'Weather',
      description: 'How it will be',
      inputSchema: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          days: { type: 'number', default: 3 },
          unit: { type: 'string', default: 'C' },
        },
        required: ['city'],
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    });
    expect(writes?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });
});

describe('defaults of input fields with a type', () => {
  it('are shown as runs read them, for forms and imports keep them as text', async () => {
    const person = await app.user();
    const inputFields = [
      { key: 'days', type: 'number', defaultValue: '3' },
      { key: 'wet', type: 'boolean', defaultValue: 'true' },
      { key: 'code', type: 'text', defaultValue: 7 },
      { key: 'odd', type: 'number', defaultValue: 'many' },
    ];
    const drawing = graph(
      [
        ['start', 'textInput', { inputFields }],
        ['out', 'output'],
      ],
      ['start>out'],
    );
    await createWorkflow(person, drawing, named('Defaults'));
    const own = await regenerateKey(person);
    const [tool] = await fetchTools(own);
    const schema = tool?.inputSchema as { properties: Record<string, { default?: unknown }> } | undefined;
    expect(
      Object.entries(schema?.properties ?? {}).map(([key, property]) => [key, property.default]),
    ).toEqual([
      ['days', 3],
      ['wet', true],
      ['code', '7'],
      ['odd', undefined],
    ]);
  });
});

describe('§4.3 tool calls', () => {
  it('§6.3: a run of its own with the arguments as its body, source MCP, in the name of the MCP user', async () => {
    const [owner, guest] = [await app.user(), await app.user()];
    const id = await createWorkflow(owner, ECHO, named('Attributed', { auth_type: 'jwt' }));
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: guest.email });
    await guest.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: true });
    const answer = await callTool('attributed', { text: 'hello' }, withKey(await regenerateKey(guest)));
    expect(answer.json<McpToolResult>()).toEqual({
      content: [{ type: 'text', text: JSON.stringify({ out: { result: 'hello' } }, null, 2) }],
      structuredContent: { out: { result: 'hello' } },
      isError: false,
    });
    const { rows } = await app.services.database.sql.query({
      text: 'SELECT trigger_source, actor_id FROM runs WHERE workflow_id = $1',
      values: [id],
    });
    expect(rows).toEqual([{ trigger_source: 'MCP', actor_id: guest.id }]);
    const { items } = (await owner.call('GET', `/api/workflows/${id}/history`)).json<{
      items: { id: string }[];
    }>();
    const entry = await owner.call('GET', `/api/workflows/${id}/history/${items[0]?.id}`);
    expect(entry.json()).toMatchObject({ inputs: { body: { text: 'hello' } } });
  });

  it('§6.3: the caller can read the result of a run that waited for a review, through the same server', async () => {
    const [person, other] = [await app.user(), await app.user()];
    const content = graph(
      [
        ['start', 'textInput'],
        ['ask', 'humanReview', { draft: '$start.text' }],
        ['out', 'output', { message: '$ask.text' }],
      ],
      ['start>ask', 'ask:accepted>out'],
    );
    const id = await createWorkflow(person, content, named('Reviewed'));
    const own = withKey(await regenerateKey(person));
    const called = (await callTool('reviewed', { text: 'a draft' }, own)).json<McpToolResult>();
    expect(called.structuredContent).toMatchObject({ status: 'pending', execution_id: expect.any(String) });
    const { execution_id, outputs } = called.structuredContent as {
      execution_id: string;
      outputs: { ask: { reviewUrl: string } };
    };
    expect(called.content[1]?.text).toContain('get_run_result');
    expect(called.content[1]?.text).toContain(execution_id);
    expect((await fetchTools(own['x-mcp-key'])).map(({ name }) => name)).toEqual([
      'reviewed',
      'get_run_result',
    ]);
    const again = async (headers = own, asked: unknown = execution_id) =>
      (await callTool('get_run_result', { execution_id: asked }, headers)).json<McpToolResult>();
    expect((await again()).structuredContent).toMatchObject({ status: 'pending', execution_id });
    const token = /\/review\/([\w-]+)$/.exec(outputs.ask.reviewUrl)?.[1];
    await app.call('POST', `/api/hitl/${token}/decision`, { action: 'accept' });
    await until(async () => !('status' in ((await again()).structuredContent ?? {})));
    expect(await again()).toMatchObject({
      structuredContent: { out: { result: 'a draft' } },
      isError: false,
    });

    const refused = { isError: true, content: [{ text: expect.stringContaining('There is no run') }] };
    const theirs = withKey(await regenerateKey(other));
    expect(await again(theirs)).toMatchObject(refused);
    expect(await again(own, 'nothing')).toMatchObject(refused);
    expect(await again(own, 5)).toMatchObject({ isError: true });
    const byCall = await person.call('POST', `/api/workflows/${id}/execute`, { text: 'not by MCP' });
    expect(await again(own, byCall.headers['x-execution-id'])).toMatchObject(refused);
    await person.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: false });
    expect(await again()).toMatchObject(refused);
  });

  it('§6.3: the result of a run is that of its end, also when an Output node has answered before', async () => {
    const person = await app.user();
    const content = graph(
      [
        ['start', 'textInput'],
        ['early', 'output', { message: 'taken', allowDownstream: true }],
        ['ask', 'humanReview', { draft: '$start.text' }],
      ],
      ['start>early', 'early>ask'],
    );
    const id = await createWorkflow(person, content, named('Early'));
    const own = withKey(await regenerateKey(person));
    const called = (await callTool('early', { text: 'a draft' }, own)).json<McpToolResult>();
    expect(called.structuredContent).toMatchObject({ early: { result: 'taken' } });
    const history = await person.call('GET', `/api/workflows/${id}/history`);
    const execution_id = history.json<{ items: { id: string }[] }>().items[0]?.id;
    const read = await callTool('get_run_result', { execution_id }, own);
    expect(read.json<McpToolResult>().structuredContent).toMatchObject({ status: 'pending', execution_id });
  });

  it('a workflow cannot have the name of the tool that reads results', async () => {
    const person = await app.user();
    await createWorkflow(person, ECHO, named('Get run result'));
    expect((await fetchTools(await regenerateKey(person))).map(({ name }) => name)).toEqual([
      'get_run_result_2',
    ]);
  });

  it('an unknown tool, a failed run and a refused one answer 200 with isError', async () => {
    const person = await app.user();
    const headers = withKey(await regenerateKey(person));
    const fails = graph(
      [
        ['start', 'textInput'],
        ['stop', 'throwError', { errorMessage: 'no such order' }],
      ],
      ['start>stop'],
    );
    await createWorkflow(person, fails, named('Fails'));
    await createWorkflow(person, { nodes: [], edges: [] }, named('Empty'));
    const limits = { rate_limit_requests: 1, rate_limit_window_seconds: 60 };
    await createWorkflow(person, ECHO, named('Limited', limits));
    expect((await callTool('limited', { text: 'x' }, headers)).json()).toMatchObject({ isError: false });
    for (const [name, text] of [
      ['nowhere', 'There is no tool'],
      ['fails', 'no such order'],
      ['empty', 'no nodes'],
      ['limited', 'rate limit'],
    ] as const) {
      const answer = await callTool(name, {}, headers);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toMatchObject({ isError: true });
      expect(answer.json<McpToolResult>().content[0]?.text).toContain(text);
    }
  });

  it('a call without a name, or with arguments that are no object, is refused with 422', async () => {
    for (const body of [{}, [], { name: 5 }, { name: 'x', arguments: [] }]) {
      expect((await app.call('POST', '/api/mcp/tools/call', body, withKey())).statusCode).toBe(422);
    }
  });
});

describe('§4.3 JSON-RPC messages', () => {
  const send = (message: unknown, path = '/api/mcp/message') => app.call('POST', path, message, withKey());

  it('initialize negotiates back to 2024-11-05', async () => {
    for (const protocolVersion of ['2024-11-05', '2025-03-26', '2025-06-18']) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
      const answer = await send(rpc('initialize', params));
      expect(answer.json()).toMatchObject({
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'millrace' },
        },
      });
    }
  });

  it('initialize without parameters is answered in the oldest protocol', async () => {
    for (const params of [undefined, {}]) {
      for (const path of ['/api/mcp/message', '/api/mcp/sse']) {
        const answer = await send({ ...rpc('initialize'), params }, path);
        expect(answer.json()).toMatchObject({ id: 1, result: { protocolVersion: '2024-11-05' } });
      }
    }
  });

  it('tools are listed and called; ids come back as they were sent', async () => {
    const person = await app.user();
    const headers = withKey(await regenerateKey(person));
    await createWorkflow(person, ECHO, named('Echo it'));
    for (const path of ['/api/mcp/message', '/api/mcp/sse']) {
      const list = await app.call('POST', path, rpc('tools/list', {}, 'abc'), headers);
      expect(list.json()).toMatchObject({ id: 'abc', result: { tools: [{ name: 'echo_it' }] } });
      const params = { name: 'echo_it', arguments: { text: 'x' } };
      const called = await app.call('POST', path, rpc('tools/call', params), headers);
      expect(called.json()).toMatchObject({ id: 1, result: { structuredContent: { out: { result: 'x' } } } });
    }
  });

  it('errors have the codes of JSON-RPC', async () => {
    const person = await app.user();
    const headers = withKey(await regenerateKey(person));
    await createWorkflow(person, { nodes: [], edges: [] }, named('Empty'));
    const fetchErrorCode = async (message: unknown) =>
      (await app.call('POST', '/api/mcp/message', message, headers)).json<{ error: { code: number } }>().error
        .code;
    expect(await fetchErrorCode(rpc('nothing/like/that'))).toBe(-32601);
    expect(await fetchErrorCode(rpc('tools/call', { name: 'nowhere' }))).toBe(-32601);
    expect(await fetchErrorCode(rpc('tools/call', { name: 'empty' }))).toBe(-32602);
  });

  it('broken JSON, a batch, another version and things that are no message are refused', async () => {
    const post = (payload: string) =>
      app.app.inject({
        method: 'POST',
        url: '/api/mcp/message',
        headers: { ...withKey(), 'content-type': 'application/json' },
        payload,
      });
    expect((await post('{"jsonrpc":')).json()).toMatchObject({ error: { code: -32700 }, id: null });
    for (const wrong of [
      '[]',
      `[${JSON.stringify(rpc('tools/list'))}]`,
      '5',
      '{}',
      '{"jsonrpc":"1.0"}',
      '',
    ]) {
      const answer = await post(wrong);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ error: { code: -32600 } });
    }
  });

  it('a message with an id that is not a request is rejected at once', async () => {
    const timed = (url: string, message: unknown, headers: Record<string, string> = {}) =>
      fetch(new URL(url, base), {
        method: 'POST',
        headers: { ...withKey(), 'content-type': 'application/json', ...headers },
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(5_000),
      });
    const both = { accept: 'application/json, text/event-stream' };
    for (const [wrong, id] of [
      [{ jsonrpc: '2.0', id: 4, method: 'tools/list', params: 'none' }, 4],
      [{ jsonrpc: '2.0', id: 'five', method: 'tools/list', params: [] }, 'five'],
      [{ jsonrpc: '2.0', id: 1.5, method: 'tools/list' }, 1.5],
      [{ jsonrpc: '2.0', id: 6, method: 'tools/list', surprise: true }, 6],
      [{ jsonrpc: '2.0', id: null, method: 'tools/list' }, null],
      [{ jsonrpc: '2.0', id: {}, method: 'tools/list' }, null],
      [{ jsonrpc: '2.0', id: 7, result: {} }, 7],
      [{ jsonrpc: '2.0', id: 8, error: { code: 1, message: 'no' } }, 8],
    ] as const) {
      const plain = await timed('/api/mcp/message', wrong);
      const answer = [plain.status, await plain.json()];
      expect(answer, JSON.stringify(wrong)).toMatchObject([400, { id, error: { code: -32600 } }]);
      const streamable = await timed('/api/mcp', wrong, both);
      // The transport accepts responses of clients, although this server never sends requests.
      const status = 'method' in wrong ? 400 : 202;
      expect(streamable.status, JSON.stringify(wrong)).toBe(status);
      if (status === 400) expect(await streamable.json()).toMatchObject({ error: { code: -32600 } });
    }
    // Batches belong to the protocol 2025-03-26 of that transport; each request in one is answered.
    const batch = await timed('/api/mcp', [rpc('nothing'), rpc('ping', {}, 2)], both);
    const answers = await batch.text();
    expect(answers).toContain('"id":1');
    expect(answers).toContain('"id":2');
    for (const wrong of [[], [rpc('ping'), { jsonrpc: '2.0', id: 2, method: 'ping', params: 'none' }]]) {
      const refused = await timed('/api/mcp', wrong, both);
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: -32600 } }]);
    }
  });

  it('a notification has no answer but its frame', async () => {
    const answer = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(answer.json()).toEqual({ jsonrpc: '2.0' });
  });
});

describe('§5.6 event stream', () => {
  const post = (path: string, message: unknown, headers: Record<string, string> = {}) =>
    fetch(new URL(path, base), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(message),
    });

  it('§5.6: names an address with a session token in place of the key; answers come on the stream', async () => {
    const person = await app.user();
    const own = await regenerateKey(person);
    await createWorkflow(person, ECHO, named('On a stream'));
    const stream = await openSse(`${base}/api/mcp/sse`, withKey(own));
    const { event, data: address } = await stream.next();
    expect(event).toBe('endpoint');
    expect(address).toMatch(/^\/api\/mcp\/message\?session=/);
    expect(address).not.toContain(own);
    expect((await post(address, rpc('tools/list', {}, 7))).status).toBe(202);
    expect(JSON.parse((await stream.next()).data)).toMatchObject({
      id: 7,
      result: { tools: [{ name: 'on_a_stream' }] },
    });
    const params = { name: 'on_a_stream', arguments: { text: 'x' }, _meta: { progressToken: 'p' } };
    await post(address, rpc('tools/call', params, 8));
    const heard: { id?: number; method?: string; params?: { progress: number } }[] = [];
    while (heard.at(-1)?.id !== 8) heard.push(JSON.parse((await stream.next()).data));
    const progress = heard.filter(({ method }) => method === 'notifications/progress');
    expect(progress.length).toBeGreaterThan(1);
    const steps = progress.map(({ params: told }) => told?.progress ?? 0);
    expect(steps).toEqual(steps.toSorted((one, other) => one - other));
    stream.close();
  });

  it('§5.6: the session token opens nothing else and ends with the key', async () => {
    const person = await app.user();
    const stream = await openSse(`${base}/api/mcp/sse`, withKey(await regenerateKey(person)));
    const { data: address } = await stream.next();
    const session = new URL(address, base).searchParams.get('session') ?? '';
    for (const headers of [withKey(session), { authorization: `Bearer ${session}` }]) {
      for (const url of ['/api/mcp/tools', '/api/auth/me']) {
        expect((await app.call('GET', url, undefined, headers)).statusCode).toBe(401);
      }
    }
    expect((await post(address, rpc('ping'))).status).toBe(202);
    await regenerateKey(person);
    expect((await post(address, rpc('ping'))).status).toBe(401);
    await expect(stream.ended()).resolves.toBe(true);
  });

  it('a person sees the open sessions of their clients, and ends one at once; others cannot', async () => {
    const [person, stranger] = [await app.user(), await app.user()];
    await createWorkflow(person, ECHO, named('Listed'));
    const stream = await openSse(`${base}/api/mcp/sse`, withKey(await regenerateKey(person)));
    const { data: address } = await stream.next();
    const list = async (of: TestUser) =>
      (await of.call('GET', '/api/mcp/sessions')).json<{ id: string; last_call_at: string | null }[]>();
    expect(await list(person)).toMatchObject([
      { client_name: null, server_id: null, server_name: null, last_call_at: null },
    ]);
    const clientInfo = { name: '\u202eInspector', version: '1' };
    await post(address, rpc('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo }));
    await post(address, rpc('tools/call', { name: 'listed', arguments: {} }, 2));
    const [session] = await list(person);
    expect(session).toMatchObject({ client_name: 'Inspector', last_call_at: expect.any(String) });
    expect(await list(stranger)).toEqual([]);
    const end = (of: TestUser) => of.call('DELETE', `/api/mcp/sessions/${session?.id}`);
    expect((await end(stranger)).statusCode).toBe(404);
    expect((await app.call('DELETE', `/api/mcp/sessions/${session?.id}`)).statusCode).toBe(401);
    expect((await end(person)).statusCode).toBe(204);
    expect((await post(address, rpc('ping', {}, 3))).status).toBe(401);
    await expect(stream.ended()).resolves.toBe(true);
    expect(await list(person)).toEqual([]);
    expect((await end(person)).statusCode).toBe(404);
  });

  it('a session ends with its stream', async () => {
    const person = await app.user();
    const stream = await openSse(`${base}/api/mcp/sse`, withKey(await regenerateKey(person)));
    await stream.next();
    stream.close();
    const count = async () => (await person.call('GET', '/api/mcp/sessions')).json<object[]>().length;
    await expect.poll(count).toBe(0);
  });

  it('§5.6, §8.3: the session token lives one hour', async () => {
    // Moving the clock ends the lease of the worker, so this process has nothing else to do.
    const alone = await createTestApp();
    const url = await alone.listen();
    const stream = await openSse(`${url}/api/mcp/sse`, withKey(await regenerateKey(await alone.user())));
    const { data: address } = await stream.next();
    const status = async () => (await alone.call('POST', address, rpc('ping'))).statusCode;
    alone.clock.now += 3_590_000;
    expect(await status()).toBe(202);
    alone.clock.now += 11_000;
    expect(await status()).toBe(401);
    stream.close();
    await alone.close();
  });

  it('§5.6: another process takes the token; without the stream it answers 409', async () => {
    // Two workers on one embedded database end each other's leases, so neither of them runs anything here.
    const holder = await createTestApp();
    const url = await holder.listen();
    const stream = await openSse(`${url}/api/mcp/sse`, withKey(await regenerateKey(await holder.user())));
    const { data: address } = await stream.next();
    const database = { ...holder.services.database, close: () => Promise.resolve() };
    const other = await createTestApp({ database });
    expect((await other.call('POST', address, rpc('ping'))).statusCode).toBe(409);
    expect((await other.call('POST', `${address}x`, rpc('ping'))).statusCode).toBe(401);
    stream.close();
    await other.close();
    await holder.close();
  });

  it('a cancellation ends the run', async () => {
    const person = await app.user();
    const waits = graph(
      [
        ['start', 'textInput'],
        ['wait', 'wait', { duration: 30_000 }],
        ['out', 'output', { message: 'late' }],
      ],
      ['start>wait', 'wait>out'],
    );
    const id = await createWorkflow(person, waits, named('Waits'));
    const stream = await openSse(`${base}/api/mcp/sse`, withKey(await regenerateKey(person)));
    const { data: address } = await stream.next();
    const params = { name: 'waits', arguments: {}, _meta: { progressToken: 1 } };
    await post(address, rpc('tools/call', params, 'long'));
    // Progress shows that the run is under way.
    await stream.next();
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } };
    await post(address, cancelled);
    for (;;) if (JSON.parse((await stream.next()).data).id === 'long') break;
    const run = await until(async () => {
      const history = await person.call('GET', `/api/workflows/${id}/history`);
      return history.json<{ items: { status: string }[] }>().items[0];
    });
    expect(run).toMatchObject({ status: 'cancelled', trigger_source: 'MCP' });
    stream.close();
  });
});

describe('§5.6 streamable HTTP', () => {
  const both = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const send = (message: unknown, headers: Record<string, string> = {}) =>
    app.app.inject({
      method: 'POST',
      url: '/api/mcp',
      headers: { ...withKey(), ...both, ...headers },
      payload: typeof message === 'string' ? message : JSON.stringify(message),
    });

  it('GET and DELETE are refused in words: nothing is kept between requests', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await app.call(method, '/api/mcp', undefined, { ...withKey(), ...both });
      expect(answer.statusCode).toBe(405);
      expect(answer.headers.allow).toContain('POST');
    }
  });

  it('broken JSON, wrong types and things that are no message are refused', async () => {
    expect((await send('{"jsonrpc":')).json()).toMatchObject({ error: { code: -32700 } });
    for (const wrong of ['5', '{}', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', '']) {
      expect((await send(wrong)).statusCode).toBe(400);
    }
    expect((await send(rpc('tools/list'), { 'content-type': 'text/plain' })).statusCode).toBe(415);
    expect((await send(rpc('tools/list'), { accept: 'text/html' })).statusCode).toBe(406);
  });

  it('§4.3: a client that takes an event stream, by name or as anything, is answered', async () => {
    for (const url of ['/api/mcp', '/api/mcp/sse'])
      for (const accept of ['text/event-stream', '*/*', undefined]) {
        const headers = { ...withKey(), 'content-type': 'application/json', ...(accept && { accept }) };
        const answer = await app.app.inject({ method: 'POST', url, headers, payload: rpc('ping', {}, 7) });
        expect([answer.statusCode, answer.body], `${url} ${accept}`).toEqual([
          200,
          expect.stringContaining('"id":7'),
        ]);
      }
  });

  it('a version that nothing speaks is refused, and the answer names those that are', async () => {
    const answer = await send(rpc('tools/list'), { 'mcp-protocol-version': '1999-01-01' });
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('2025-06-18');
  });

  it('a long list of tools comes in pages, each tool once', async () => {
    const person = await app.user();
    const headers = withKey(await regenerateKey(person));
    for (let n = 0; n < 103; n += 1) {
      const { id } = (await person.call('POST', '/api/workflows', { name: `Many ${n}` })).json<{
        id: string;
      }>();
      await person.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: true });
    }
    const page = async (cursor?: string) =>
      (
        await app.call('POST', '/api/mcp/message', rpc('tools/list', cursor ? { cursor } : {}), headers)
      ).json<{
        result: { tools: { name: string }[]; nextCursor?: string };
      }>().result;
    const first = await page();
    expect(first.tools).toHaveLength(100);
    const second = await page(first.nextCursor);
    expect(second.nextCursor).toBeUndefined();
    const names = new Set([...first.tools, ...second.tools].map(({ name }) => name));
    expect(names.size).toBe(103);
  }, 60_000);

  it('open streams are notified when a workflow is switched', async () => {
    const person = await app.user();
    const id = await createWorkflow(person, ECHO);
    const stream = await openSse(`${base}/api/mcp/sse`, withKey(await regenerateKey(person)));
    await stream.next();
    await person.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: true });
    expect(JSON.parse((await stream.next()).data)).toMatchObject({
      method: 'notifications/tools/list_changed',
    });
    stream.close();
  });

  type Change = (person: TestUser, id: string) => Promise<unknown>;
  const put = (query: string, body: object): Change => {
    return (person, id) => person.call('PUT', `/api/workflows/${id}${query}`, body);
  };
  const saveDraft = put('?draft=true', FIELDS);
  const publish: Change = async (person, id) => {
    await saveDraft(person, id);
    expect((await person.call('POST', `/api/workflows/${id}/publish`, {})).statusCode).toBe(200);
  };

  it.each<[string, Change]>([
    ['published', publish],
    ['renamed', put('', { name: 'Another name' })],
    ['described', put('', { description: 'What it does' })],
    ['given other inputs', put('', FIELDS)],
    ['deleted', (person, id) => person.call('DELETE', `/api/workflows/${id}`)],
    ['switched off by a save', put('', { mcp_enabled: false })],
    [
      'joined by a new one',
      (person) => person.call('POST', '/api/workflows', { name: 'New', ...ECHO, mcp_enabled: true }),
    ],
  ])('open streams are notified when a tool is %s', async (_what, change) => {
    const person = await app.user();
    const id = await createWorkflow(person, ECHO, named('Changes'));
    const stream = await openSse(`${base}/api/mcp/sse`, withKey(await regenerateKey(person)));
    await stream.next();
    await change(person, id);
    expect(JSON.parse((await stream.next()).data)).toMatchObject({
      method: 'notifications/tools/list_changed',
    });
    stream.close();
  });

  it('only people are notified whose tool it is, and only of what their clients see', async () => {
    const [owner, member, other] = [await app.user(), await app.user(), await app.user()];
    const id = await createWorkflow(owner, ECHO, { name: 'Shared tool' });
    for (const { email } of [member, other])
      await owner.call('POST', `/api/workflows/${id}/shares`, { email });
    await member.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: true });
    const told: string[] = [];
    const end = app.services.broadcast.subscribe('mcp_tools_changed', (user_id) => void told.push(user_id));
    await saveDraft(owner, id);
    await put('', { cache_ttl_seconds: 5 })(owner, id);
    expect(told).toEqual([]);
    await put('', { name: 'Shared tool 2' })(owner, id);
    expect(told).toEqual([member.id]);
    end();
  });
});
