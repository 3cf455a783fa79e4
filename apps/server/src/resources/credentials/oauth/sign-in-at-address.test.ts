import { credentialType } from '@millrace/nodes/credentials';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  type AuthorizationServer,
  createTestApp,
  startAuthorizationServer,
  type TestApp,
  type TestUser,
} from '../../../testing/index.ts';

let app: TestApp;
let owner: TestUser;
let friend: TestUser;
let provider: AuthorizationServer;

const PROVIDER = 'https://auth.openai.com/oauth';
const BACK = 'http://localhost:1455/auth/callback';

beforeAll(async () => {
  app = await createTestApp({
    env: { HTTP_ALLOW_PRIVATE_URLS: 'true', ACCESS_TOKEN_MINUTES: '1000' },
  });
  [owner, friend] = [await app.user(), await app.user()];
  const { egress } = app.services;
  const send = egress.request.bind(egress);
  vi.spyOn(egress, 'request').mockImplementation((request) =>
    send({ ...request, url: request.url.replace(PROVIDER, provider.url) }),
  );
});
afterAll(() => app.close());
beforeEach(async () => {
  app.clock.now = Date.now();
  provider = await startAuthorizationServer({
    client_id: credentialType('codex')?.oauth?.({ auth_mode: 'chatgpt' })?.client?.client_id ?? '',
    redirect_uri: /^http:\/\/localhost:1455\/auth\/callback$/,
  });
});
afterEach(() => provider.close());

let counter = 0;
async function create(config: object = { auth_mode: 'chatgpt' }): Promise<string> {
  const body = { name: `runner ${++counter}`, type: 'codex', config };
  const made = await owner.call('POST', '/api/credentials', body);
  expect(made.statusCode, made.body).toBe(201);
  return made.json<{ id: string }>().id;
}

/** Follows the browser, which ends at the person's own computer. Resolves to the address that it shows there. */
async function allow(credential_id: string): Promise<string> {
  const begun = await owner.call('POST', '/api/credentials/codex/oauth/authorize', { credential_id });
  expect(begun.statusCode, begun.body).toBe(200);
  expect(begun.json()).toMatchObject({ needs_address: true });
  const { auth_url } = begun.json<{ auth_url: string }>();
  const asked = new URL(auth_url);
  expect(asked.href.startsWith(`${PROVIDER}/authorize?`)).toBe(true);
  const answer = await fetch(`${provider.url}/authorize${asked.search}`, { redirect: 'manual' });
  expect(answer.status, await answer.text()).toBe(302);
  return answer.headers.get('location') ?? '';
}

const finish = (address: string, user = owner) =>
  user.call('POST', '/api/credentials/codex/oauth/callback', { address });
const shown = async (id: string) =>
  (await owner.call('GET', `/api/credentials/${id}`)).json<Record<string, unknown>>();
const load = async (id: string) =>
  (await app.services.run_secrets.credentialById(owner.id, id))?.config as Record<string, unknown>;

test('§2.7: a coding runner signs in with an account, by the address at which the browser ended', async () => {
  const id = await create();
  expect(await shown(id)).toMatchObject({ masked_value: null, sign_in: 'missing' });
  const address = await allow(id);
  expect(address.startsWith(`${BACK}?`)).toBe(true);
  const answer = await finish(`  ${address} `);
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.json()).toMatchObject({
    id,
    masked_value: 'connected',
    sign_in: 'connected',
    public_fields: { auth_mode: 'chatgpt', account: 'ada@example.org', connection: 'connected' },
  });
  expect(provider.token_requests[0]?.get('redirect_uri')).toBe(BACK);
  const { access_token, refresh_token, id_token } = await load(id);
  expect(provider.accepts(String(access_token))).toBe(true);
  expect(id_token).toMatch(/^e30\./);
  const stored = JSON.stringify(await shown(id));
  for (const secret of [access_token, refresh_token, id_token]) expect(stored).not.toContain(secret);
});

test('its tokens are renewed before they end, and the identity with them', async () => {
  const id = await create();
  await finish(await allow(id));
  const before = await load(id);
  app.clock.now += 3_599_000;
  const after = await load(id);
  expect(after['access_token']).not.toBe(before['access_token']);
  expect(provider.accepts(String(after['access_token']))).toBe(true);
  expect(after['id_token']).toMatch(/^e30\./);
});

test('an address counts once, for the person who began, and has to be the whole one', async () => {
  const id = await create();
  const address = await allow(id);
  const early = `${PROVIDER}/authorize?state=${new URL(address).searchParams.get('state')}`;
  for (const wrong of ['localhost', BACK, `${BACK}?code=1`, address.slice(BACK.length), early]) {
    const refused = await finish(wrong);
    expect(refused.statusCode, wrong).toBe(422);
    expect(refused.json()).toMatchObject({ detail: [{ loc: ['body', 'address'] }] });
  }
  const other = await finish(address, friend);
  expect(other.json()).toMatchObject({
    code: 'bad_request',
    detail: expect.stringContaining('another account'),
  });
  expect((await finish(address)).statusCode).toBe(200);
  expect((await finish(address)).statusCode).toBe(400);
});

test('what the provider refuses is said, and the credential stays as it was', async () => {
  const id = await create();
  const state = new URL(await allow(id)).searchParams.get('state');
  const refused = await finish(`${BACK}?error=access_denied&state=${state}`);
  expect(refused.statusCode).toBe(400);
  expect(refused.json()).toMatchObject({ detail: 'Coding runner was not allowed to connect.' });
  expect(await shown(id)).toMatchObject({ sign_in: 'missing' });
});

test('a token that is entered and a sign-in do not take the place of each other', async () => {
  const id = await create({ access_token: 'sk-entered-token' });
  const edit = (config: object) => owner.call('PUT', `/api/credentials/${id}`, { config });
  expect((await edit({ auth_mode: 'chatgpt' })).json()).toMatchObject({ sign_in: 'missing' });
  await finish(await allow(id));
  const blank = await edit({ auth_mode: 'access_token' });
  expect(blank.statusCode, blank.body).toBe(422);
  expect(blank.json()).toMatchObject({ detail: [{ loc: ['body', 'config', 'access_token'] }] });
  expect(await shown(id)).toMatchObject({ sign_in: 'connected' });
  expect((await edit({ access_token: 'sk-test-token' })).json()).toMatchObject({
    sign_in: null,
    masked_value: 'sk-test**',
  });
  expect(await load(id)).not.toHaveProperty('id_token');
});
