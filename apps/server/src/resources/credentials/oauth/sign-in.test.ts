import { NodeFailure } from '@millrace/engine';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { noteConnectionError } from '../../../database/connection-loss.ts';
import {
  type AuthorizationServer,
  createTestApp,
  startAuthorizationServer,
  type TestApp,
  type TestUser,
} from '../../../testing/index.ts';
import { createRunSecrets } from '../../run-secrets.ts';

let app: TestApp;
let owner: TestUser;
let friend: TestUser;
let stranger: TestUser;
let provider: AuthorizationServer;

const CLIENT = { client_id: 'client-1', client_secret: 'canary-secret' };
const CALLBACK = '/api/credentials/oauth2/oauth/callback';

beforeAll(async () => {
  app = await createTestApp({
    env: {
      HTTP_ALLOW_PRIVATE_URLS: 'true',
      PUBLIC_URL: 'https://flows.example/',
      ACCESS_TOKEN_MINUTES: '1000',
    },
  });
  [owner, friend, stranger] = [await app.user(), await app.user(), await app.user()];
});
afterAll(() => app.close());
beforeEach(async () => {
  app.clock.now = Date.now();
  provider = await startAuthorizationServer({
    ...CLIENT,
    redirect_uri: new RegExp(`^https://flows\\.example${CALLBACK}$`),
  });
});
afterEach(() => provider.close());

let counter = 0;
async function create(more: object = {}): Promise<string> {
  const config = {
    authorization_url: `${provider.url}/authorize`,
    token_url: `${provider.url}/token`,
    revocation_url: `${provider.url}/revoke`,
    scopes: 'read write',
    extra: 'access_type=offline&state=forged',
    ...CLIENT,
    ...more,
  };
  const body = { name: `sign-in ${++counter}`, type: 'oauth2', config };
  const made = await owner.call('POST', '/api/credentials', body);
  expect(made.statusCode, made.body).toBe(201);
  return made.json<{ id: string }>().id;
}

const start = (user: TestUser, credential_id: string, name = 'oauth2') =>
  user.call('POST', `/api/credentials/${name}/oauth/authorize`, { credential_id });

/** Follows the browser to the provider, which allows everything. Resolves to the address that it sends it back to. */
async function allow(id: string): Promise<string> {
  const begun = await start(owner, id);
  expect(begun.statusCode, begun.body).toBe(200);
  const answer = await fetch(begun.json<{ auth_url: string }>().auth_url, { redirect: 'manual' });
  const back = answer.headers.get('location') ?? '';
  expect(answer.status, await answer.text()).toBe(302);
  return back.replace('https://flows.example', '');
}

async function connect(more: object = {}): Promise<string> {
  const id = await create(more);
  const page = await owner.call('GET', await allow(id));
  expect(page.statusCode, page.body.slice(page.body.indexOf('<main>'))).toBe(200);
  return id;
}

const shown = async (id: string) =>
  (await owner.call('GET', `/api/credentials/${id}`)).json<Record<string, unknown>>();

async function loadToken(
  id: string,
  use: { refused?: string } = {},
  secrets = app.services.run_secrets,
): Promise<string> {
  const found = await secrets.credentialById(owner.id, id, use);
  return String(found?.config['access_token']);
}

async function catchFailure(id: string, use: { refused?: string } = {}) {
  const error: unknown = await loadToken(id, use).catch((thrown: unknown) => thrown);
  if (error instanceof NodeFailure) return error.failure;
  throw new Error(`expected a failure, got ${String(error)}`);
}

test.each(['basic', 'post'])(
  'a sign-in stores tokens, encrypted, with the client proven by %s',
  async (client_auth) => {
    const id = await create({ client_auth });
    const before = await shown(id);
    expect(before).toMatchObject({ masked_value: 'client-1' });
    const back = await allow(id);
    const page = await owner.call('GET', back);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain(`&quot;credentialId&quot;:&quot;${id}&quot;`);
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'sha256-/);
    expect(await shown(id)).toMatchObject({
      masked_value: 'connected',
      public_fields: { account: 'ada@example.org', connection: 'connected', client_id: 'client-1' },
    });
    expect(provider.accepts(await loadToken(id))).toBe(true);
    const { rows } = await app.services.database.sql.query({ text: 'SELECT * FROM credentials' });
    expect(JSON.stringify(rows)).not.toContain(await loadToken(id));
    expect(JSON.stringify(await shown(id))).not.toContain('canary');
  },
);

test('the authorization request asks for the scopes with PKCE, and further parameters replace none of it', async () => {
  const begun = await start(owner, await create());
  const { auth_url, state } = begun.json<{ auth_url: string; state: string }>();
  expect(Object.fromEntries(new URL(auth_url).searchParams)).toEqual({
    access_type: 'offline',
    response_type: 'code',
    client_id: 'client-1',
    redirect_uri: `https://flows.example${CALLBACK}`,
    scope: 'read write',
    state,
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
});

test('§2.7: a note-taking workspace is signed in to with the client of its owner, and only when it asks for that', async () => {
  const add = async (config: object) => {
    const body = { name: `notes ${JSON.stringify(config)}`, type: 'notion', config };
    return (await owner.call('POST', '/api/credentials', body)).json<{ id: string }>().id;
  };
  const signIn = (credential_id: string) =>
    owner.call('POST', '/api/credentials/notion/oauth/authorize', { credential_id });
  const begun = await signIn(await add({ auth_mode: 'oauth', client_id: 'c-1', client_secret: 's' }));
  expect(begun.statusCode, begun.body).toBe(200);
  const address = new URL(begun.json<{ auth_url: string }>().auth_url);
  expect(address.origin + address.pathname).toBe('https://api.notion.com/v1/oauth/authorize');
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    client_id: 'c-1',
    response_type: 'code',
    owner: 'user',
  });
  expect((await signIn(await add({ auth_mode: 'internal', api_token: 'ntn_1' }))).statusCode).toBe(400);
});

test('only the owner may sign in, to a provider of the type, with a client', async () => {
  const id = await create();
  await owner.call('POST', `/api/credentials/${id}/shares`, { email: friend.email });
  const statuses = [
    await start(friend, id),
    await start(stranger, id),
    await start(owner, id, 'google-sheets'),
    await start(owner, id, 'bearer'),
    await app.call('POST', '/api/credentials/oauth2/oauth/authorize', { credential_id: id }),
    await owner.call('DELETE', `/api/credentials/${id}/oauth`),
    await friend.call('DELETE', `/api/credentials/${id}/oauth`),
  ];
  expect(statuses.map(({ statusCode }) => statusCode)).toEqual([403, 404, 422, 404, 401, 200, 403]);
});

test('a state counts once, for the person who began, for ten minutes', async () => {
  const id = await create();
  const back = await allow(id);
  expect((await stranger.call('GET', back)).body).toContain('belongs to another account');
  expect((await app.call('GET', back)).body).toContain('You are signed out here');
  expect((await owner.call('GET', back)).statusCode).toBe(200);
  expect((await owner.call('GET', back)).statusCode).toBe(400);
  const late = await allow(id);
  app.clock.now += 10 * 60_000 + 1;
  expect((await owner.call('GET', late)).statusCode).toBe(400);
  expect(provider.token_requests).toHaveLength(1);
});

test.each([
  ['error=access_denied', 'was not allowed to connect'],
  ['error=server_error&error_description=%3Cb%3Ebusy', 'refused the sign-in: &lt;b&gt;busy'],
  ['', 'sent no code'],
  ['code=wrong', 'refused the code: invalid_grant'],
])('an answer with "%s" is told, escaped, and ends the sign-in', async (query, words) => {
  const id = await create();
  const { state } = (await start(owner, id)).json<{ state: string }>();
  const page = await owner.call('GET', `${CALLBACK}?${query}&state=${state}`);
  expect(page.statusCode).toBe(400);
  expect(page.body).toContain(words);
  expect((await owner.call('GET', `${CALLBACK}?code=x&state=${state}`)).body).toContain('was used before');
  expect(await shown(id)).toMatchObject({ masked_value: 'client-1' });
});

test('an access token is renewed shortly before it ends, and the refresh token is replaced', async () => {
  const id = await connect();
  const first = await loadToken(id);
  app.clock.now += 3_400_000;
  expect(await loadToken(id)).toBe(first);
  app.clock.now += 100_000;
  const second = await loadToken(id);
  expect(second).not.toBe(first);
  app.clock.now += 3_600_000;
  expect(provider.accepts(await loadToken(id))).toBe(true);
  expect(provider.token_requests.map((form) => form.get('grant_type'))).toEqual([
    'authorization_code',
    'refresh_token',
    'refresh_token',
  ]);
  expect(await shown(id)).toMatchObject({ public_fields: { account: 'ada@example.org' } });
});

test('nodes of two processes that renew at once ask the provider once', async () => {
  provider.close();
  provider = await startAuthorizationServer({
    ...CLIENT,
    redirect_uri: /^https:\/\/flows\.example/,
    milliseconds_per_answer: 300,
  });
  const id = await connect();
  app.clock.now += 3_600_000;
  const other = createRunSecrets(app.services);
  const tokens = await Promise.all([
    loadToken(id),
    loadToken(id),
    loadToken(id, {}, other),
    loadToken(id, {}, other),
  ]);
  expect(new Set(tokens).size).toBe(1);
  expect(provider.accepts(tokens[0] ?? '')).toBe(true);
  expect(provider.token_requests).toHaveLength(2);
});

test('a token that the service refuses is renewed even if it has not expired yet, once for all who were refused', async () => {
  const id = await connect();
  const refused = await loadToken(id);
  const renewed = await loadToken(id, { refused });
  expect(renewed).not.toBe(refused);
  expect(await loadToken(id, { refused })).toBe(renewed);
  expect(provider.token_requests).toHaveLength(2);
});

test('a renewal whose answer is lost is asked for again with the same refresh token', async () => {
  const id = await connect();
  app.clock.now += 3_600_000;
  provider.next.push('lost');
  expect(provider.accepts(await loadToken(id))).toBe(true);
  const [, lost, again] = provider.token_requests;
  expect(again?.get('refresh_token')).toBe(lost?.get('refresh_token'));
});

test('new tokens are stored although the database is away for a moment', async () => {
  const id = await connect();
  app.clock.now += 3_600_000;
  const { database } = app.services;
  let failures = 2;
  const db = new Proxy(database.db, {
    get(target, key) {
      if (key !== 'transaction' || failures-- <= 0) return Reflect.get(target, key) as unknown;
      const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      return () => Promise.reject(noteConnectionError(lost));
    },
  });
  const secrets = createRunSecrets({ ...app.services, database: { ...database, db } });
  const token = await loadToken(id, {}, secrets);
  expect(provider.accepts(token)).toBe(true);
  expect(await loadToken(id)).toBe(token);
  expect(provider.token_requests).toHaveLength(2);
});

test('a provider that is down keeps the sign-in, and the next use tries again', async () => {
  const id = await connect();
  app.clock.now += 3_600_000;
  provider.next.push('down', 'down');
  expect(await catchFailure(id)).toMatchObject({ kind: 'upstream' });
  expect(provider.accepts(await loadToken(id))).toBe(true);
});

test('a revoked sign-in asks to sign in again, is told to the owner once, and can be made anew', async () => {
  const id = await connect();
  const { name } = await shown(id);
  provider.revokeAll();
  app.clock.now += 3_600_000;
  const ended = { kind: 'credential', final: true, message: expect.stringContaining('sign in again') };
  expect(await catchFailure(id)).toMatchObject(ended);
  expect(await catchFailure(id)).toMatchObject(ended);
  expect(await shown(id)).toMatchObject({
    masked_value: 'client-1',
    public_fields: { connection: 'ended', account: 'ada@example.org' },
  });
  const { rows } = await app.services.database.sql.query<{ payload: string }>({
    text: `SELECT payload FROM platform_events WHERE name = 'credential.sign_in_ended' AND owner_id = $1`,
    values: [owner.id],
  });
  const events = rows.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
  expect(events.filter((event) => event['credential_id'] === id)).toMatchObject([
    { name, reason: 'invalid_grant' },
  ]);
  expect((await owner.call('GET', await allow(id))).statusCode).toBe(200);
  expect(provider.accepts(await loadToken(id))).toBe(true);
});

test('disconnecting forgets the tokens and revokes them', async () => {
  const id = await connect();
  const gone = await owner.call('DELETE', `/api/credentials/${id}/oauth`);
  expect(gone.json()).toMatchObject({ masked_value: 'client-1' });
  expect(provider.revoked_tokens).toEqual([expect.stringMatching(/^rt-/)]);
  expect(await loadToken(id)).toBe('undefined');
});

test('an edit keeps the sign-in, and one of the client or the provider ends it', async () => {
  const id = await connect();
  const same = {
    authorization_url: `${provider.url}/authorize`,
    token_url: `${provider.url}/token`,
    client_id: 'client-1',
    scopes: 'read',
  };
  await owner.call('PUT', `/api/credentials/${id}`, { config: same });
  expect(await shown(id)).toMatchObject({
    masked_value: 'connected',
    public_fields: { account: 'ada@example.org' },
  });
  await owner.call('PUT', `/api/credentials/${id}`, {
    config: { ...same, token_url: 'https://evil.example/token' },
  });
  expect(await shown(id)).toMatchObject({ masked_value: 'client-1' });
});

test('expressions read a token that lasts', async () => {
  const id = await connect();
  const { name } = await shown(id);
  app.clock.now += 3_600_000;
  const found = await app.services.run_secrets.credentialsByName(owner.id, [String(name)]);
  const value = found.get(String(name))?.expression_value ?? '';
  expect(provider.accepts(value)).toBe(true);
  expect(found.get(String(name))?.secrets).toContain(value);
});
