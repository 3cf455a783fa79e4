import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shareTestApp, type TestApp, type TestUser } from '../../../testing/index.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const received: IncomingMessage[] = [];
let answer: Answer;
const server = createServer((request, response) => {
  received.push(request);
  answer(request, response);
});
let base: string;
let app: TestApp;
let owner: TestUser;
let friend: TestUser;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  [owner, friend] = [await app.user(), await app.user()];
});
beforeEach(() => {
  received.length = 0;
  answer = (_, response) => response.setHeader('content-type', 'application/json').end('{"data":[]}');
});
afterAll(async () => {
  await app.close();
  server.closeAllConnections();
  server.close();
});

const status =
  (code: number): Answer =>
  (_, response) =>
    void response.writeHead(code).end('{}');
let counter = 0;
async function stored(type: string, config: Record<string, unknown>): Promise<string> {
  const made = await owner.call('POST', '/api/credentials', { name: `c${++counter}`, type, config });
  expect(made.statusCode, made.body).toBe(201);
  return made.json<{ id: string }>().id;
}
const custom = () => ({ api_key: 'sk-canary-0123456789', base_url: `${base}/v1/` });
const tryOut = (body: unknown, user = owner) => user.call('POST', '/api/credentials/test', body);

describe('POST /api/credentials/test', () => {
  test('tries a configuration that is not stored yet', async () => {
    const answered = await tryOut({ type: 'custom', config: custom() });
    expect(answered.json()).toEqual({ success: true, message: 'The service accepted it' });
    expect(received[0]).toMatchObject({
      url: '/v1/models',
      headers: { authorization: 'Bearer sk-canary-0123456789' },
    });
  });

  test.each([
    [401, 'The service refused the secret'],
    [403, 'The service refused the secret'],
    [500, 'The service answered with status 500'],
    [302, 'The service accepted it'],
  ])('says what status %i means, and follows no redirect', async (code, message) => {
    answer = (_, response) => void response.writeHead(code, { location: 'http://127.0.0.1:1/' }).end();
    expect((await tryOut({ type: 'custom', config: custom() })).json()).toMatchObject({ message });
    expect(received).toHaveLength(1);
  });

  test('says that a service cannot be reached, without the secret', async () => {
    const config = { ...custom(), base_url: 'http://127.0.0.1:9' };
    const answered = await tryOut({ type: 'custom', config });
    expect(answered.json()).toMatchObject({ success: false });
    expect(answered.body).not.toContain('canary');
  });

  test('a stored credential with some fields replaced keeps its secret', async () => {
    const credential_id = await stored('custom', { ...custom(), base_url: 'http://127.0.0.1:9' });
    const answered = await tryOut({ type: 'custom', credential_id, config: { base_url: base } });
    expect(answered.json()).toMatchObject({ success: true });
    expect(received[0]?.headers.authorization).toBe('Bearer sk-canary-0123456789');
  });

  test('403: users it is shared with cannot send the secret to an address of their choice', async () => {
    const credential_id = await stored('custom', custom());
    await owner.call('POST', `/api/credentials/${credential_id}/shares`, { email: friend.email });
    const stolen = await tryOut({ type: 'custom', credential_id, config: { base_url: base } }, friend);
    expect(stolen.statusCode).toBe(403);
    expect(received).toEqual([]);
    expect((await tryOut({ type: 'custom', credential_id }, friend)).json()).toMatchObject({ success: true });
  });

  test('404: a credential of another user; 422: a type that differs from its own', async () => {
    const credential_id = await stored('custom', custom());
    expect((await tryOut({ type: 'custom', credential_id }, friend)).statusCode).toBe(404);
    expect((await tryOut({ type: 'openai', credential_id })).statusCode).toBe(422);
  });

  test('422: a field is missing', async () => {
    expect((await tryOut({ type: 'custom', config: { api_key: 'x' } })).statusCode).toBe(422);
  });

  test('a type that is tried only by its first use says so', async () => {
    const config = { access_token: 'token' };
    expect((await tryOut({ type: 'codex', config })).json<{ message: string }>().message).toContain(
      'first uses it',
    );
  });

  test.each([
    ['github', () => ({ api_key: 'ghp_0123456789', base_url: base }), '/user', 'Bearer ghp_0123456789'],
    [
      'sentry',
      () => ({ api_token: 'snt_01234567', base_url: base }),
      '/api/0/organizations/',
      'Bearer snt_01234567',
    ],
    [
      'jira',
      () => ({ api_token: 't', email: 'a@b.example', base_url: base }),
      '/rest/api/3/myself',
      `Basic ${Buffer.from('a@b.example:t').toString('base64')}`,
    ],
    ['grist', () => ({ api_key: 'g', server_url: base }), '/api/orgs', 'Bearer g'],
  ])('%s is asked who the secret belongs to', async (type, config, url, authorization) => {
    expect((await tryOut({ type, config: config() })).json()).toMatchObject({ success: true });
    expect(received[0]).toMatchObject({ url, headers: { authorization } });
  });
});

describe('GET /api/credentials/{id}/models', () => {
  test('lists what the provider offers', async () => {
    answer = (_, response) => response.end('{"data":[{"id":"b"},{"id":"gpt-5-x"},{"no":1}]}');
    const id = await stored('custom', custom());
    expect((await owner.call('GET', `/api/credentials/${id}/models`)).json()).toMatchObject([
      { id: 'b', name: 'b', is_reasoning: false, supports_batch: true, batch_support_reason: null },
      { id: 'gpt-5-x', is_reasoning: true },
    ]);
  });

  test('sends the further headers of a compatible server, and no error repeats them', async () => {
    const headers = '{"X-Tenant": "tenant-canary-1"}';
    answer = (request, response) => {
      response
        .writeHead(403)
        .end(JSON.stringify({ error: { message: `no: ${String(request.headers['x-tenant'])}` } }));
    };
    const id = await stored('custom', { ...custom(), headers });
    const answered = await owner.call('GET', `/api/credentials/${id}/models`);
    expect(answered.json()).toMatchObject({ detail: expect.stringContaining('no: **') });
    expect(received[0]?.headers).toMatchObject({ 'x-tenant': 'tenant-canary-1' });
    expect(answered.body).not.toContain('canary');
  });

  test.each(['X-Tenant: blue', '["blue"]', '{"X Tenant": "blue"}', '{"X-Tenant": "a\\nb"}'])(
    'refuses %s as further headers',
    async (headers) => {
      const config = { ...custom(), headers };
      const answered = await owner.call('POST', '/api/credentials', { name: 'x', type: 'custom', config });
      expect(answered.statusCode).toBe(422);
      expect(answered.body).toContain('must be a JSON object of header names and texts');
    },
  );

  test.each([
    [401, 400],
    [500, 503],
  ])('provider status %i is answered as %i', async (code, expected) => {
    answer = status(code);
    const id = await stored('custom', custom());
    expect((await owner.call('GET', `/api/credentials/${id}/models`)).statusCode).toBe(expected);
  });
});

test('without the setting no credential reaches a private address', async () => {
  const guarded = await shareTestApp();
  const person = await guarded.user();
  const answered = await person.call('POST', '/api/credentials/test', { type: 'custom', config: custom() });
  expect(answered.json()).toMatchObject({ success: false });
  expect(received).toEqual([]);
  await guarded.close();
});
