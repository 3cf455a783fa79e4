import { describe, expect, it } from 'vitest';
import { createPortal, graph, parseFrames, until, useTestApp } from '../../testing/index.ts';

const app = await useTestApp();
const owner = await app.user();

const fields = [{ key: 'text', defaultValue: 'Hello' }, { key: 'tone' }];

/** Answers with what it was asked, behind a node that visitors need not know about. */
const CHAT = graph(
  [
    ['start', 'textInput', { inputFields: fields }],
    ['secret', 'set', { mappings: [{ key: 'internal', value: 'not for visitors' }] }],
    ['out', 'output', { message: '$start.body.text / $len($start.conversation_history)' }],
  ],
  ['start>secret', 'secret>out'],
);

/** How a chat looks that its owner has not changed. */
const PLAIN = {
  welcome_text: '',
  suggestions: [],
  accent_color: null,
  logo: null,
  progress: 'labels',
  reviews_in_chat: false,
};

const portal = (content = CHAT, settings = {}) =>
  createPortal(owner, content, { auth_type: 'jwt', description: 'Talks', ...settings });

const history = (...contents: string[]) => contents.map((content) => ({ role: 'user', content }));

describe('§4.4 GET /api/portal/{slug}/info', () => {
  it('§4.4 tells name, description and the input fields of the textInput start nodes, without authentication', async () => {
    const { url } = await portal(CHAT, { portal_stream_enabled: false });
    const answer = await app.call('GET', `${url}/info`);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        workflow_name: 'Test workflow',
        workflow_description: 'Talks',
        requires_auth: false,
        stream_enabled: false,
        file_upload_enabled: false,
        file_config: {},
        input_fields: [
          { key: 'text', defaultValue: 'Hello' },
          { key: 'tone', defaultValue: null },
        ],
        appearance: PLAIN,
      },
    ]);
  });

  it('§4.4 input_fields: a text input without fields has the field "text"; switched-off and inner ones do not count', async () => {
    const fetchFields = async (content: typeof CHAT) => {
      const { id, url } = await portal(content);
      const read = (answer: { json<T>(): T }) => answer.json<{ input_fields: unknown }>().input_fields;
      const info = read(await app.call('GET', `${url}/info`));
      expect(read(await owner.call('GET', `/api/workflows/${id}/portal`))).toEqual(info);
      return info;
    };
    const text = [{ key: 'text', defaultValue: null }];
    expect(await fetchFields(graph([['start', 'textInput']], []))).toEqual(text);
    expect(await fetchFields(graph([['start', 'textInput', { inputFields: [] }]], []))).toEqual(text);
    const several = graph(
      [
        ['start', 'textInput', { inputFields: [{ key: 'asked' }] }],
        ['off', 'textInput', { active: false, inputFields: [{ key: 'off' }] }],
        ['offPlain', 'textInput', { active: false }],
        ['inner', 'textInput', { inputFields: [{ key: 'inner' }] }],
        ['innerPlain', 'textInput'],
      ],
      ['start>inner', 'start>innerPlain'],
    );
    expect(await fetchFields(several)).toEqual([{ key: 'asked', defaultValue: null }]);
    expect(await fetchFields(graph([['every', 'cron']], []))).toEqual([]);
  });

  it('answers 404 alike for a slug that does not exist and for a portal that is off', async () => {
    const { id, url } = await portal();
    await owner.call('PUT', `/api/workflows/${id}/portal`, { portal_enabled: false });
    const off = await app.call('GET', `${url}/info`);
    const unknown = await app.call('GET', '/api/portal/no-such-slug/info');
    expect([off.statusCode, unknown.statusCode]).toEqual([404, 404]);
    expect(off.json<{ detail: string }>().detail).toBe(unknown.json<{ detail: string }>().detail);
    for (const rest of ['/login', '/execute', '/execute/stream']) {
      const body = rest === '/login' ? { username: 'a', password: 'b' } : { inputs: {} };
      expect((await app.call('POST', `${url}${rest}`, body)).statusCode).toBe(404);
    }
  });

  it('stops an address that guesses slugs', async () => {
    const { url } = await portal();
    const headers = { 'x-test-ip': '10.44.0.1' };
    for (let guess = 0; guess < 60; guess++)
      await app.call('GET', `/api/portal/guess-${guess}/info`, undefined, headers);
    const next = await app.call('GET', '/api/portal/guess-61/info', undefined, headers);
    expect([next.statusCode, Number(next.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    // A hit must look like a miss then, or the two could be distinguished.
    expect((await app.call('GET', `${url}/info`, undefined, headers)).statusCode).toBe(429);
    expect((await app.call('GET', `${url}/info`)).statusCode).toBe(200);
  });
});

describe('§4.4 POST /api/portal/{slug}/execute', () => {
  it('§4.4 §6.2 §6.3 runs the workflow with body.inputs and conversation_history for every auth_type', async () => {
    const { id, url } = await portal();
    const conversation_history = history('one', 'two');
    const answer = await app.call('POST', `${url}/execute`, { inputs: { text: 'Hi' }, conversation_history });
    expect(answer.statusCode).toBe(200);
    const run_id = String(answer.headers['x-execution-id']);
    expect(answer.json()).toEqual({
      workflow_id: id,
      status: 'success',
      outputs: { out: { result: 'Hi / 2' } },
      node_results: [],
      execution_time_ms: expect.any(Number),
      execution_history_id: run_id,
    });
    expect(answer.body).not.toContain('not for visitors');
    const entry = await owner.call('GET', `/api/workflows/${id}/history/${run_id}`);
    expect(entry.json()).toMatchObject({
      trigger_source: 'portal',
      inputs: { body: { text: 'Hi' }, conversation_history },
    });
  });

  it('§6.3 the label of its runs is portal; callers cannot change it', async () => {
    const { id, url } = await portal();
    await app.call(
      'POST',
      `${url}/execute?trigger_source=Canvas`,
      { inputs: {} },
      { 'x-trigger-source': 'API' },
    );
    const list = await owner.call('GET', `/api/workflows/${id}/history`);
    expect(list.json()).toMatchObject({ items: [{ trigger_source: 'portal' }] });
  });

  it('neither reads nor fills the response cache', async () => {
    const { url } = await portal(CHAT, { cache_ttl_seconds: 60 });
    for (let time = 0; time < 2; time++) {
      const answer = await app.call('POST', `${url}/execute`, { inputs: { text: 'Hi' } });
      expect(answer.json()).toMatchObject({ status: 'success' });
    }
  });

  it('§4.4 is neither counted against nor refused by the limit of the workflow (§8.1)', async () => {
    const { id, url } = await portal(CHAT, { rate_limit_requests: 1, rate_limit_window_seconds: 60 });
    const headers = { 'x-test-ip': '10.44.0.2' };
    for (const rest of ['/execute', '/execute', '/execute/stream']) {
      const answer = await app.call('POST', `${url}${rest}`, {}, headers);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers).not.toHaveProperty('x-ratelimit-limit');
    }
    const called = async () =>
      (await owner.call('POST', `/api/workflows/${id}/execute`, {}, headers)).statusCode;
    expect([await called(), await called()]).toEqual([200, 429]);
    expect((await app.call('POST', `${url}/execute`, {}, headers)).statusCode).toBe(200);
  });

  it('answers 400 without nodes, and 422 for bodies of another shape', async () => {
    const empty = await portal(graph([], []));
    expect((await app.call('POST', `${empty.url}/execute`, { inputs: {} })).statusCode).toBe(400);
    const { url } = await portal();
    for (const body of [
      { inputs: [] },
      { inputs: 'text' },
      { inputs: {}, conversation_history: 'none' },
      { inputs: {}, conversation_history: [{ role: 'user' }] },
      JSON.parse('{"inputs":{"a":{"__proto__":{"b":1}}}}'),
    ])
      expect((await app.call('POST', `${url}/execute`, body)).statusCode, JSON.stringify(body)).toBe(422);
  });

  it('answers with the status that a Throw Error node sets', async () => {
    const { url } = await portal(
      graph(
        [
          ['start', 'textInput'],
          ['stop', 'throwError', { errorMessage: 'no', httpStatusCode: 418 }],
        ],
        ['start>stop'],
      ),
    );
    const answer = await app.call('POST', `${url}/execute`, {});
    expect([answer.statusCode, answer.json()]).toMatchObject([418, { status: 'error' }]);
  });
});

describe('§4.4 POST /api/portal/{slug}/execute/stream', () => {
  it('shows a visitor which node works, and the answer, but not what the nodes bring', async () => {
    const { url } = await portal();
    const answer = await app.call('POST', `${url}/execute/stream`, { inputs: { text: 'Hi' } });
    expect(answer.headers['content-type']).toContain('text/event-stream');
    const frames = parseFrames(answer.body).map(({ data }) => data);
    expect(frames[0]).toMatchObject({ type: 'execution_started', execution_id: expect.any(String) });
    expect(frames.filter(({ type }) => type === 'node_start').map((data) => data['progress_path'])).toEqual([
      ['start'],
      ['start', 'secret'],
      ['start', 'secret', 'out'],
    ]);
    expect(frames.filter(({ type }) => type === 'node_complete').map((data) => data['output'])).toEqual([
      {},
      {},
      {},
    ]);
    expect(frames.at(-1)).toMatchObject({
      type: 'execution_complete',
      status: 'success',
      outputs: { out: { result: 'Hi / 0' } },
      node_results: [],
    });
    expect(answer.body).not.toContain('not for visitors');
  });

  it('counts rounds of a loop in the path instead of repeating its labels', async () => {
    const looped = graph(
      [
        ['start', 'textInput'],
        ['each', 'loop', { arrayExpression: '$start.body.items' }],
        ['body', 'set', { mappings: [{ key: 'at', value: '$each.item' }] }],
        ['out', 'output', { message: 'done' }],
      ],
      ['start>each', 'each:loop>body', 'body>each:loop', 'each:done>out'],
    );
    const { url } = await portal(looped);
    const { body } = await app.call('POST', `${url}/execute/stream`, { inputs: { items: [1, 2, 3] } });
    const paths = parseFrames(body)
      .filter(({ data }) => data.type === 'node_start')
      .map(({ data }) => data['progress_path'] as string[]);
    const last = paths.at(-1) ?? [];
    expect(last).toContain('body(3)');
    expect(last.filter((label) => label.startsWith('body'))).toHaveLength(1);
    expect(new Set(last).size).toBe(last.length);
  });
});

describe('§4.4 GET /api/portal/{slug}/executions/{execution_id}/stream', () => {
  const started = async (url: string, headers = {}) => {
    const answer = await app.call('POST', `${url}/execute/stream`, { inputs: { text: 'Hi' } }, headers);
    return { body: answer.body, run_id: String(parseFrames(answer.body)[0]?.data['execution_id']) };
  };
  const follow = (url: string, run_id: string, headers = {}) =>
    app.call('GET', `${url}/executions/${run_id}/stream`, undefined, headers);

  it('tells a visitor who comes back the run again from its start, and no more than before', async () => {
    const { url } = await portal();
    const { body, run_id } = await started(url);
    const again = await follow(url, run_id);
    expect(again.headers['content-type']).toContain('text/event-stream');
    const times = /"(started_at_ms|server_now_ms|execution_time_ms)":\d+/g;
    expect(again.body.replace(times, '')).toBe(body.replace(times, ''));
    expect(again.body).not.toContain('not for visitors');
  });

  it('reaches only runs that this portal has started, and needs a session where the portal has users', async () => {
    const one = await portal(CHAT, { auth_type: 'anonymous' });
    const other = await portal();
    const { run_id } = await started(one.url);
    expect((await follow(other.url, run_id)).statusCode).toBe(404);
    expect((await follow(one.url, crypto.randomUUID())).statusCode).toBe(404);
    const called = await app.call('POST', `/api/workflows/${one.id}/execute`, {});
    expect((await follow(one.url, String(called.headers['x-execution-id']))).statusCode).toBe(404);
    await owner.call('POST', `/api/workflows/${one.id}/portal/users`, {
      username: 'ada',
      password: 'secret',
    });
    expect((await follow(one.url, run_id)).statusCode).toBe(401);
    const session = await app.call('POST', `${one.url}/login`, { username: 'ada', password: 'secret' });
    const { session_token } = session.json<{ session_token: string }>();
    const answer = await follow(one.url, run_id, { authorization: `Bearer ${session_token}` });
    expect(parseFrames(answer.body).at(-1)?.data).toMatchObject({ outputs: { out: { result: 'Hi / 0' } } });
  });
});

describe('§4.4 runs belong to the visitor who started them', () => {
  const WAITING = graph(
    [
      ['start', 'textInput'],
      ['pause', 'wait', { duration: 50_000 }],
    ],
    ['start>pause'],
  );
  type Headers = Record<string, string>;
  const follow = (url: string, run_id: string, headers: Headers) =>
    app.call('GET', `${url}/executions/${run_id}/stream`, undefined, headers);
  const stop = (url: string, run_id: string, headers: Headers) =>
    app.call('POST', `${url}/executions/${run_id}/cancel`, undefined, headers);
  const member = async ({ id, url }: { id: string; url: string }, username: string): Promise<Headers> => {
    await owner.call('POST', `/api/workflows/${id}/portal/users`, { username, password: 'opens it' });
    const login = await app.call('POST', `${url}/login`, { username, password: 'opens it' });
    return { authorization: `Bearer ${login.json<{ session_token: string }>().session_token}` };
  };
  const guest = async ({ url }: { url: string }): Promise<Headers> => {
    const begun = await app.call('POST', `${url}/conversations`, undefined);
    return { 'x-visitor-token': begun.json<{ visitor_token: string }>().visitor_token };
  };

  it.each([
    [
      'with a login',
      (at: { id: string; url: string }) => Promise.all([member(at, 'ada'), member(at, 'bob')]),
    ],
    ['with a visitor token', (at: { id: string; url: string }) => Promise.all([guest(at), guest(at)])],
  ])(
    '§4.4 %s: another visitor can neither follow nor stop them, while they work and after',
    async (_who, visitors) => {
      const at = await portal(WAITING);
      const [mine, other] = await visitors(at);
      const answer = app.call('POST', `${at.url}/execute`, { inputs: {} }, mine);
      const active = () => owner.call('GET', `/api/workflows/executions/active?workflow_id=${at.id}`);
      const { execution_id } = await until(
        async () => (await active()).json<{ execution_id: string }[]>()[0],
      );
      expect((await follow(at.url, execution_id, other)).statusCode).toBe(404);
      expect((await stop(at.url, execution_id, other)).statusCode).toBe(404);
      if ('x-visitor-token' in other) expect((await stop(at.url, execution_id, {})).statusCode).toBe(404);
      expect((await stop(at.url, execution_id, mine)).json()).toEqual({ status: 'cancel_requested' });
      expect((await answer).statusCode).toBe(409);
      expect((await follow(at.url, execution_id, other)).statusCode).toBe(404);
      expect((await follow(at.url, execution_id, mine)).statusCode).toBe(200);
    },
  );
});

describe('§4.4 GET /chat/{slug} and /review/{token}', () => {
  it.each(['/chat/any', '/review/any'])(
    'answers %s with a page, also when no type is named',
    async (path) => {
      for (const accept of [undefined, '*/*', 'text/html,*/*;q=0.8']) {
        const { statusCode, headers } = await app.call('GET', path, undefined, accept ? { accept } : {});
        expect([accept, statusCode, headers['content-type']]).toEqual([
          accept,
          200,
          'text/html; charset=utf-8',
        ]);
      }
      const json = await app.call('GET', path, undefined, { accept: 'application/json' });
      expect([json.statusCode, json.headers['content-type']]).toEqual([
        404,
        'application/json; charset=utf-8',
      ]);
    },
  );
});

describe('§2.1 the portal settings of a workflow', () => {
  it('§2.1 are read by people with access and changed by the owner', async () => {
    const { id, slug } = await portal();
    const url = `/api/workflows/${id}/portal`;
    expect((await owner.call('GET', url)).json()).toEqual({
      portal_enabled: true,
      portal_slug: slug,
      portal_stream_enabled: true,
      portal_file_upload_enabled: false,
      portal_file_config: {},
      portal_rate_limit_requests: null,
      portal_rate_limit_window_seconds: null,
      portal_allowed_origins: [],
      portal_appearance: { ...PLAIN, progress_messages: {} },
      input_fields: [
        { key: 'text', defaultValue: 'Hello' },
        { key: 'tone', defaultValue: null },
      ],
    });
    const changed = await owner.call('PUT', url, {
      portal_slug: `${slug}-new`,
      portal_file_config: { text: { file_upload_enabled: true } },
    });
    expect([changed.statusCode, changed.json()]).toMatchObject([
      200,
      {
        portal_slug: `${slug}-new`,
        portal_file_config: { text: { file_upload_enabled: true, allowed_types: ['text'], max_size_mb: 5 } },
      },
    ]);
    expect((await app.call('GET', `/api/portal/${slug}-new/info`)).statusCode).toBe(200);
    expect((await app.call('GET', `/api/portal/${slug}/info`)).statusCode).toBe(404);
  });

  it('refuses a slug that is in use with 400, and one of other characters with 422', async () => {
    const one = await portal();
    const other = await portal();
    const put = (portal_slug: string) =>
      owner.call('PUT', `/api/workflows/${other.id}/portal`, { portal_slug });
    expect((await put(one.slug)).statusCode).toBe(400);
    for (const slug of ['Upper', 'a b', 'a/b', 'ä', 'x'.repeat(256)])
      expect((await put(slug)).statusCode).toBe(422);
  });
});

describe('§4.4 GET /api/workflows/{id}/portal/slug', () => {
  const check = ({ id }: { id: string }, slug: string, by = owner, headers = {}) =>
    by.call('GET', `/api/workflows/${id}/portal/slug?slug=${slug}`, undefined, headers);

  it("§4.4 a slug in use is taken, even if its portal is off; the workflow's own slug is available", async () => {
    const one = await portal();
    const other = await portal();
    expect((await check(other, one.slug)).json()).toEqual({ is_free: false });
    await owner.call('PUT', `/api/workflows/${one.id}/portal`, { portal_enabled: false });
    expect((await check(other, one.slug)).json()).toEqual({ is_free: false });
    expect((await check(one, one.slug)).json()).toEqual({ is_free: true });
    expect((await check(other, 'no-such-slug-yet')).json()).toEqual({ is_free: true });
    expect((await check(other, 'Not%20one')).statusCode).toBe(422);
    expect((await check(other, one.slug, await app.user())).statusCode).toBe(404);
  });

  it('§8.2 checking slugs never counts towards a ban', async () => {
    const one = await portal();
    const headers = { 'x-test-ip': '10.44.0.9' };
    for (let time = 0; time < 70; time++)
      expect((await check(one, `free-${time}`, owner, headers)).statusCode).toBe(200);
    expect((await app.call('GET', `${one.url}/info`, undefined, headers)).statusCode).toBe(200);
  });
});

describe('a limit of messages per visitor', () => {
  const limit = { portal_rate_limit_requests: 2, portal_rate_limit_window_seconds: 600 };
  const say = (url: string, headers: Record<string, string>) =>
    app.call('POST', `${url}/execute`, { inputs: { text: 'x' } }, headers);
  const statuses = async (url: string, headers: Record<string, string>, times: number) => {
    const seen: number[] = [];
    for (let time = 0; time < times; time++) seen.push((await say(url, headers)).statusCode);
    return seen;
  };

  it('counts visitors without a login by address, in place of the limit of the workflow', async () => {
    const { id, url } = await portal(CHAT, {
      ...limit,
      rate_limit_requests: 1,
      rate_limit_window_seconds: 600,
    });
    expect(await statuses(url, { 'x-test-ip': '10.44.1.1' }, 3)).toEqual([200, 200, 429]);
    expect(await statuses(url, { 'x-test-ip': '10.44.1.2' }, 1)).toEqual([200]);
    const refused = await say(url, { 'x-test-ip': '10.44.1.1' });
    expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '0' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    // Calls of the API keep the limit of the workflow.
    const called = async () => (await owner.call('POST', `/api/workflows/${id}/execute`, {})).statusCode;
    expect([await called(), await called()]).toEqual([200, 429]);
  });

  it('counts signed-in visitors by name, from wherever they come', async () => {
    const { id, url } = await portal(CHAT, limit);
    const headers: Record<string, string>[] = [];
    for (const username of ['ada', 'bob']) {
      await owner.call('POST', `/api/workflows/${id}/portal/users`, { username, password: 'opens it' });
      const login = await app.call('POST', `${url}/login`, { username, password: 'opens it' });
      headers.push({ authorization: `Bearer ${login.json<{ session_token: string }>().session_token}` });
    }
    const [ada = {}, bob = {}] = headers;
    expect(await statuses(url, { ...ada, 'x-test-ip': '10.44.2.1' }, 2)).toEqual([200, 200]);
    expect(await statuses(url, { ...ada, 'x-test-ip': '10.44.2.2' }, 1)).toEqual([429]);
    expect(await statuses(url, { ...bob, 'x-test-ip': '10.44.2.1' }, 1)).toEqual([200]);
  });
});

describe('sites that may show the chat', () => {
  const fetchPolicy = async (slug: string) => {
    const page = await app.call('GET', `/chat/${slug}`, undefined, { accept: 'text/html' });
    const policy = String(page.headers['content-security-policy']);
    return [policy.slice(policy.indexOf('frame-ancestors')), page.headers['x-frame-options']];
  };

  it('are named in frame-ancestors of its page, and of no other', async () => {
    const origins = ['https://www.example.com', 'https://*.example.org'];
    const open = await portal(CHAT, { portal_allowed_origins: origins });
    const closed = await portal();
    expect(await fetchPolicy(open.slug)).toEqual([
      "frame-ancestors 'self' https://www.example.com https://*.example.org",
      undefined,
    ]);
    expect(await fetchPolicy(closed.slug)).toEqual(["frame-ancestors 'self'", 'SAMEORIGIN']);
    expect(await fetchPolicy('nothing-here')).toEqual(["frame-ancestors 'self'", 'SAMEORIGIN']);
    await owner.call('PUT', `/api/workflows/${open.id}/portal`, { portal_enabled: false });
    expect(await fetchPolicy(open.slug)).toEqual(["frame-ancestors 'self'", 'SAMEORIGIN']);
    const home = await app.call('GET', '/workflows', undefined, { accept: 'text/html' });
    expect(home.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(home.headers['x-frame-options']).toBe('DENY');
  });

  it.each([
    'https://example.com/path',
    'https://example.com/',
    'ftp://example.com',
    "https://example.com; script-src 'unsafe-inline'",
    "'none'",
    '',
  ])('cannot be %j', async (origin) => {
    const { id } = await portal();
    const answer = await owner.call('PUT', `/api/workflows/${id}/portal`, {
      portal_allowed_origins: [origin],
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'portal_allowed_origins', 0] }] },
    ]);
  });
});
