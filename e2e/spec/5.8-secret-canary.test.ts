import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestApp, createWorkflow, graph, type TestApp, type TestUser } from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** §5.8: known secrets go through every way that a run can take; then everything stored and sent is searched. */
const SECRETS = ['canary-PLAIN-0123456789', 'cänary "quoted"/+&<é>\\0123456789'];

const ascii = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const json = (text: string) => JSON.stringify(text).slice(1, -1);

/** Spellings that a service may answer with, and that must not be found afterwards. */
const spellings = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
  encodeURIComponent(secret),
  new URLSearchParams({ q: secret }).toString(),
  json(secret),
  json(json(secret)),
  ascii(json(secret)),
  json(secret).replaceAll('/', '\\/'),
];
const FORMS = SECRETS.flatMap(spellings);
const leaks = (text: string) => FORMS.filter((form) => text.includes(form) || text.includes(json(form)));

/** Says back all that it is sent, and the secrets in every spelling. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  if (pathname === '/silent') return;
  if (pathname === '/redirect') {
    response.writeHead(302, { location: `/echo?key=${encodeURIComponent(SECRETS[0] ?? '')}` }).end();
    return;
  }
  if (pathname === '/away') {
    response.writeHead(307, { location: `http://127.0.0.1:${searchParams.get('port')}/` }).end();
    return;
  }
  const said = { headers: request.headers, url: request.url, forms: FORMS, [SECRETS[0] ?? '']: 'as a key' };
  const headers = { 'x-key': encodeURIComponent(SECRETS[1] ?? '') };
  if (pathname === '/text') response.writeHead(200, { ...headers, 'content-type': 'text/plain' });
  else
    response.writeHead(pathname === '/broken' ? 500 : 200, {
      ...headers,
      'content-type': 'application/json',
    });
  response.end(JSON.stringify(said));
}

let app: TestApp;
let user: TestUser;
let server: Server;
let base: string;
const logged: string[] = [];
beforeAll(async () => {
  server = createServer(echo);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await createTestApp({
    env: { HTTP_ALLOW_PRIVATE_URLS: 'true' },
    onLog: (line) => void logged.push(line),
  });
  user = await app.user();
  for (const [index, bearer_token] of SECRETS.entries()) {
    await user.call('POST', '/api/credentials', {
      name: `CANARY${index}`,
      type: 'bearer',
      config: { bearer_token },
    });
  }
});
afterAll(async () => {
  await app.close();
  server.closeAllConnections();
  server.close();
});

/** Waits, so that its facts and those of its caller are stored one by one. */
const CHILD = graph(
  [
    ['in', 'textInput'],
    ['wait', 'wait', { duration: 1 }],
    ['keep', 'set', { mappings: [{ key: 'v', value: '$in.text $global.passed $credentials.CANARY1' }] }],
    ['out', 'output', { message: '$keep.v' }],
  ],
  ['in>wait', 'wait>keep', 'keep>out'],
);

type Draw = (at: string, child: string) => ReturnType<typeof graph>;

const chain = (...nodes: [string, string, Record<string, unknown>?][]): ReturnType<typeof graph> => {
  const all = [['in', 'textInput'], ...nodes] as [string, string, Record<string, never>?][];
  return graph(
    all,
    all.slice(1).map(([id], index) => `${all[index]?.[0] ?? ''}>${id}`),
  );
};
const pause: [string, string, Record<string, unknown>] = ['pause', 'wait', { duration: 1 }];
const out = (message: string): [string, string, Record<string, unknown>] => ['out', 'output', { message }];

const WAYS: readonly (readonly [string, Draw])[] = [
  ['input', () => chain(pause, out('$in.text and $in.list'))],
  [
    'variable',
    () =>
      chain(
        ['v', 'variable', { variableName: 'v', variableValue: '$credentials.CANARY0' }],
        pause,
        out('$vars.v'),
      ),
  ],
  [
    'global variable',
    () =>
      chain(
        ['v', 'variable', { variableName: 'g', variableValue: 'x $credentials.CANARY1', isGlobal: true }],
        pause,
        out('$global.g'),
      ),
  ],
  [
    'sub-workflow',
    (_, executeWorkflowId) =>
      chain(
        ['v', 'variable', { variableName: 'passed', variableValue: '$credentials.CANARY1' }],
        ['call', 'execute', { executeWorkflowId, executeInput: '$credentials.CANARY0' }],
        out('$call.outputs'),
      ),
  ],
  [
    'sub-workflow that is not waited for',
    (_, executeWorkflowId) =>
      chain(
        ['v', 'variable', { variableName: 'passed', variableValue: '$credentials.CANARY1' }],
        [
          'call',
          'execute',
          { executeWorkflowId, executeInput: '$credentials.CANARY0', executeDoNotWait: true },
        ],
        out('$call'),
      ),
  ],
  [
    'loop',
    (at) =>
      graph(
        [
          ['in', 'textInput'],
          ['each', 'loop', { arrayExpression: '$in.list' }],
          ['send', 'http', { curl: `curl ${at}/echo -H 'X-Key: $credentials.CANARY0' -d '$each.item'` }],
          ['out', 'output', { message: '$each.results' }],
        ],
        ['in>each', 'each:loop>send', 'send>each:loop', 'each:done>out'],
      ),
  ],
  ['error text', () => chain(pause, ['fail', 'throwError', { errorMessage: 'no: $credentials.CANARY0' }])],
];

const SEND = "-H 'X-Key: $credentials.CANARY0' -d '$credentials.CANARY1'";

/** The contents of all tables of the database. */
async function everythingStored(): Promise<string> {
  const { sql } = app.services.database;
  const tables = await sql.query<{ name: string }>({
    text: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  });
  expect(tables.rows.length).toBeGreaterThan(20);
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql.query({ text: `SELECT t::text AS row FROM "${name}" t` });
    texts.push(JSON.stringify(rows));
  }
  return texts.join('\n');
}

describe('§5.8: secrets in what runs give out', () => {
  it.each([
    ['success', (at: string) => `curl ${at}/echo?key=$credentials.CANARY0 ${SEND}`, 'success'],
    ['an answer that is text', (at: string) => `curl ${at}/text ${SEND}`, 'success'],
    ['a failure of the service', (at: string) => `curl --fail ${at}/broken ${SEND}`, undefined],
    ['a redirect', (at: string) => `curl -L ${at}/redirect ${SEND}`, 'success'],
    ['a timeout', (at: string) => `curl -m 0.3 ${at}/silent?key=$credentials.CANARY0 ${SEND}`, 'error'],
    [
      'an address that cannot be reached',
      () => `curl http://127.0.0.1:9/?k=$credentials.CANARY1 ${SEND}`,
      'error',
    ],
    ['an address that is no address', () => `curl http://$credentials.CANARY1/ ${SEND}`, 'error'],
  ] as const)('are masked after %s', async (_, command, status) => {
    const content = graph(
      [
        ['in', 'textInput'],
        ['call', 'http', { curl: command(base) }],
        ['out', 'output', { message: '$call' }],
      ],
      ['in>call', 'call>out'],
    );
    const url = `/api/workflows/${await createWorkflow(user, content)}`;
    const answer = await user.call('POST', `${url}/execute`, {});
    if (status) expect(answer.json()).toMatchObject({ status });
    const stream = await user.call('POST', `${url}/execute/stream`, {});
    const history = await user.call('GET', `${url}/history`);
    const { items } = history.json<{ items: { id: string }[] }>();
    expect(items).toHaveLength(2);
    const entries = await Promise.all(items.map(({ id }) => user.call('GET', `${url}/history/${id}`)));
    for (const { body } of [answer, stream, history, ...entries]) expect(leaks(body)).toEqual([]);
    expect(leaks(await everythingStored())).toEqual([]);
    expect(leaks(logged.join(''))).toEqual([]);
  });

  it('are not forwarded by a redirect to another origin, under any header name', async () => {
    const arrived: IncomingMessage['headers'][] = [];
    const elsewhere = createServer(({ headers }, response) => {
      arrived.push(headers);
      response.end('{}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const port = (elsewhere.address() as AddressInfo).port;
    const config = { header_value: 'shop 7' };
    await user.call('POST', '/api/credentials', { name: 'SHORT', type: 'header', config });
    const curl = `curl -L '${base}/away?port=${port}' -H 'X-Shop-Id: $credentials.CANARY0' -H 'X-Of: shop of $credentials.CANARY1' -H 'X-Shop: $credentials.SHORT' -H 'X-Trace: 7'`;
    const id = await createWorkflow(user, chain(['call', 'http', { curl }], out('$call.status')));
    const answer = await user.call('POST', `/api/workflows/${id}/execute`, {}).finally(() => {
      elsewhere.closeAllConnections();
      elsewhere.close();
    });
    expect(answer.json()).toMatchObject({ status: 'success' });
    expect(arrived).toHaveLength(1);
    expect(arrived[0]).toMatchObject({ 'x-trace': '7' });
    expect(arrived[0]).not.toHaveProperty('x-shop-id');
    expect(arrived[0]).not.toHaveProperty('x-of');
    expect(arrived[0]).not.toHaveProperty('x-shop');
  });

  it.each(WAYS)('are masked when a run passes them by %s', async (_, draw) => {
    const child = await createWorkflow(user, CHILD);
    const id = await createWorkflow(user, draw(base, child), { error_workflow_id: child });
    const url = `/api/workflows/${id}`;
    const body = { text: SECRETS[0], list: SECRETS };
    const headers = { 'x-told': SECRETS[0] ?? '' };
    const answer = await user.call(
      'POST',
      `${url}/execute?q=${encodeURIComponent(SECRETS[1] ?? '')}`,
      body,
      headers,
    );
    expect(answer.json()).toHaveProperty('status');
    const again = await user.call('POST', `${url}/execute`, body, { 'idempotency-key': `key of ${id}` });
    const stream = await user.call('POST', `${url}/execute/stream`, body);
    const seen = [answer.body, again.body, stream.body];
    for (const workflow of [id, child]) {
      const history = await user.call('GET', `/api/workflows/${workflow}/history`);
      seen.push(history.body);
      for (const item of history.json<{ items: { id: string }[] }>().items)
        seen.push((await user.call('GET', `/api/workflows/${workflow}/history/${item.id}`)).body);
    }
    seen.push((await user.call('GET', '/api/global-variables')).body);
    for (const text of seen) expect(leaks(text)).toEqual([]);
    expect(leaks(await everythingStored())).toEqual([]);
    expect(leaks(logged.join(''))).toEqual([]);
  });

  it('are masked in the traces of model calls', async () => {
    const config = { api_key: SECRETS[0], base_url: base };
    const made = await user.call('POST', '/api/credentials', { name: 'model', type: 'custom', config });
    const ask = {
      credentialId: made.json<{ id: string }>().id,
      model: 'm',
      systemInstruction: '$credentials.CANARY0',
      userMessage: '$credentials.CANARY1 and $in.forms',
    };
    const id = await createWorkflow(user, chain(['ask', 'llm', ask], out('$ask.text')));
    await user.call('POST', `/api/workflows/${id}/execute`, { forms: FORMS });
    await app.services.traces.flush();
    const list = await user.call('GET', `/api/traces?workflow_id=${id}`);
    const [trace] = list.json<{ items: { id: string }[] }>().items;
    const detail = await user.call('GET', `/api/traces/${trace?.id}`);
    expect(detail.json()).toMatchObject({ request: { system: 'canary-**' } });
    for (const { body } of [list, detail]) expect(leaks(body)).toEqual([]);
    expect(leaks(await everythingStored())).toEqual([]);
  });

  it('are masked in calls that are refused or answered from the cache', async () => {
    const id = await createWorkflow(user, CHILD, {
      cache_ttl_seconds: 60,
      rate_limit_requests: 2,
      rate_limit_window_seconds: 60,
    });
    const call = () => user.call('POST', `/api/workflows/${id}/execute`, { text: SECRETS[0] });
    const answers = [await call(), await call(), await call()];
    for (const { body } of answers) expect(leaks(body)).toEqual([]);
    await app.services.execution.journal.drain();
    const history = await user.call('GET', `/api/workflows/${id}/history`);
    const statuses = history.json<{ items: { status: string }[] }>().items.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(['cached', 'rate_limited', 'success']);
    expect(leaks(await everythingStored())).toEqual([]);
  });

  it('and the log had something to say', () => {
    expect(logged.length).toBeGreaterThan(0);
  });
});
