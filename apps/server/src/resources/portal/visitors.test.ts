import { describe, expect, it } from 'vitest';
import {
  createPortal,
  createTestApp,
  ECHO,
  graph,
  openTestDatabase,
  type TestPortal,
  until,
  useOwnTestApp,
} from '../../testing/index.ts';

const app = await useOwnTestApp();
const owner = await app.user();

const HOUR_MS = 3_600_000;
const PASSWORD = 'opens the door';

interface Portal extends TestPortal {
  readonly users: string;
  readonly ada: string;
}

/** A portal with one user, `ada`. */
async function guarded(content = ECHO): Promise<Portal> {
  const portal = await createPortal(owner, content);
  const users = `${portal.owner_url}/users`;
  const made = await owner.call('POST', users, { username: 'ada', password: PASSWORD });
  expect(made.statusCode, made.body).toBe(200);
  return { ...portal, users, ada: made.json<{ id: string }>().id };
}

const login = ({ url }: Portal, password: string, { ip = '', username = 'ada' } = {}) =>
  app.call('POST', `${url}/login`, { username, password }, ip === '' ? {} : { 'x-test-ip': ip });

async function session(portal: Portal): Promise<string> {
  const answer = await login(portal, PASSWORD);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ session_token: string }>().session_token;
}

const execute = ({ url }: Portal, token?: string) =>
  app.call(
    'POST',
    `${url}/execute`,
    { inputs: { text: 'x' } },
    token === undefined ? {} : { authorization: `Bearer ${token}` },
  );

describe('§5.5 portal authentication', () => {
  it('§5.5 §2.6 the portal is public without portal users, and needs a login with them', async () => {
    const portal = await guarded();
    expect((await app.call('GET', `${portal.url}/info`)).json()).toMatchObject({ requires_auth: true });
    for (const rest of ['/execute', '/execute/stream', `/executions/${crypto.randomUUID()}/cancel`]) {
      const refused = await app.call('POST', `${portal.url}${rest}`, {});
      expect([rest, refused.statusCode, refused.headers['www-authenticate']]).toEqual([rest, 401, 'Bearer']);
    }
    expect((await execute(portal, await session(portal))).json()).toMatchObject({ status: 'success' });
    expect((await owner.call('DELETE', `${portal.users}/${portal.ada}`)).statusCode).toBe(204);
    expect((await owner.call('GET', portal.users)).json()).toEqual([]);
    expect((await app.call('GET', `${portal.url}/info`)).json()).toMatchObject({ requires_auth: false });
    expect((await execute(portal)).statusCode).toBe(200);
  });

  it('§2.6 §5.5 §8.3 the session token works for 168 hours and no longer; only its hash is stored', async () => {
    const portal = await guarded();
    const answer = await login(portal, PASSWORD);
    const { session_token, expires_at } = answer.json<{ session_token: string; expires_at: string }>();
    expect(session_token).toMatch(/^[\w-]{43}$/);
    const started = app.clock.now;
    expect(Math.abs(Date.parse(expires_at) - started - 168 * HOUR_MS)).toBeLessThan(60_000);
    const { rows } = await app.services.database.sql.query<{ row: string }>({
      text: 'SELECT s::text AS row FROM portal_sessions s',
    });
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes(session_token))).toEqual([]);
    app.clock.now = started + 168 * HOUR_MS - 60_000;
    expect((await execute(portal, session_token)).statusCode).toBe(200);
    app.clock.now = started + 168 * HOUR_MS + 60_000;
    expect((await execute(portal, session_token)).statusCode).toBe(401);
    app.clock.now = started;
  });

  it('opens one portal only, and nothing else of the service', async () => {
    const [one, other] = [await guarded(), await guarded()];
    const token = await session(one);
    expect((await execute(other, token)).statusCode).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await app.call('GET', `/api/workflows/${one.id}`, undefined, headers)).statusCode).toBe(401);
    // Nor does a session of the service open a portal.
    const asOwner = await owner.call('POST', `${one.url}/execute`, {});
    expect(asOwner.statusCode).toBe(401);
  });

  it.each<[string, (portal: Portal) => Promise<unknown>]>([
    ['the user is removed', ({ users, ada }) => owner.call('DELETE', `${users}/${ada}`)],
    [
      'the password is reset',
      ({ users, ada }) => owner.call('PUT', `${users}/${ada}`, { password: 'another' }),
    ],
    ['their sessions are ended', ({ users, ada }) => owner.call('DELETE', `${users}/${ada}/sessions`)],
    [
      'the portal was switched off and on again',
      async ({ id }) => {
        await owner.call('PUT', `/api/workflows/${id}/portal`, { portal_enabled: false });
        await owner.call('PUT', `/api/workflows/${id}/portal`, { portal_enabled: true });
      },
    ],
  ])('ends its sessions when %s', async (_, change) => {
    const portal = await guarded();
    const second = { username: 'grace', password: PASSWORD };
    expect((await owner.call('POST', portal.users, second)).statusCode).toBe(200);
    const token = await session(portal);
    expect((await execute(portal, token)).statusCode).toBe(200);
    await change(portal);
    expect((await execute(portal, token)).statusCode).toBe(401);
  });

  it('ends the open stream of a user who is removed; the run itself continues', async () => {
    const portal = await guarded(
      graph(
        [
          ['start', 'textInput'],
          ['pause', 'wait', { duration: 50_000 }],
        ],
        ['start>pause'],
      ),
    );
    const second = { username: 'grace', password: PASSWORD };
    expect((await owner.call('POST', portal.users, second)).statusCode).toBe(200);
    const headers = { authorization: `Bearer ${await session(portal)}` };
    const stream = app.call('POST', `${portal.url}/execute/stream`, {}, headers);
    const list = `/api/workflows/executions/active?workflow_id=${portal.id}`;
    const active = async () => (await owner.call('GET', list)).json<{ execution_id: string }[]>()[0];
    const { execution_id } = await until(active);
    await owner.call('DELETE', `${portal.users}/${portal.ada}`);
    expect((await stream).body).not.toContain('execution_complete');
    expect(await active()).toMatchObject({ execution_id });
    await owner.call('POST', `/api/workflows/${portal.id}/executions/${execution_id}/cancel`);
  });

  it('keeps the sessions of other users', async () => {
    const portal = await guarded();
    const made = await owner.call('POST', portal.users, { username: 'grace', password: PASSWORD });
    const token = await session(portal);
    await owner.call('DELETE', `${portal.users}/${made.json<{ id: string }>().id}`);
    expect((await execute(portal, token)).statusCode).toBe(200);
  });
});

describe('§5.5 §8.2 three failed logins', () => {
  it('§8.2 ban the address from this portal for 24 hours, from the third failure on', async () => {
    const portal = await guarded();
    const ip = '10.55.0.1';
    const [one, two, three] = [
      await login(portal, 'wrong', { ip }),
      await login(portal, PASSWORD, { ip, username: 'unknown' }),
      await login(portal, 'wrong', { ip }),
    ];
    expect([one.statusCode, two.statusCode, three.statusCode]).toEqual([401, 401, 429]);
    expect(one.json()).toMatchObject({
      detail: expect.stringContaining('2 tries are left'),
      tries_left: 2,
    });
    expect(two.json()).toMatchObject({
      detail: expect.stringContaining('1 try is left'),
      tries_left: 1,
    });
    expect(Number(three.headers['retry-after'])).toBe(86_400);
    // The right password does not help any more.
    expect((await login(portal, PASSWORD, { ip })).statusCode).toBe(429);
    expect((await login(portal, PASSWORD, { ip: '10.55.0.2' })).statusCode).toBe(200);
    expect((await login(await guarded(), PASSWORD, { ip })).statusCode).toBe(200);
  });

  it('are forgotten when the owner sets a new password, which then works at once', async () => {
    const portal = await guarded();
    const ip = '10.55.0.20';
    for (let time = 0; time < 3; time++) await login(portal, 'wrong', { ip });
    expect((await login(portal, PASSWORD, { ip })).statusCode).toBe(429);
    const [user] = (await owner.call('GET', portal.users)).json<{ id: string }[]>();
    const reset = await owner.call('PUT', `${portal.users}/${user?.id}`, { password: 'another one' });
    expect(reset.statusCode, reset.body).toBe(200);
    expect((await login(portal, PASSWORD, { ip })).statusCode).toBe(401);
    expect((await login(portal, 'another one', { ip })).statusCode).toBe(200);
  });

  it('§8.2 survive a restart of the service', async () => {
    const database = await openTestDatabase();
    const kept = { ...database, close: () => Promise.resolve() };
    const before = await createTestApp({ database: kept });
    const person = await before.user();
    const at = await createPortal(person, ECHO);
    await person.call('POST', `${at.owner_url}/users`, { username: 'ada', password: PASSWORD });
    const headers = { 'x-test-ip': '10.55.0.9' };
    const attempt = (on: typeof before, password: string, from = headers) =>
      on.call('POST', `${at.url}/login`, { username: 'ada', password }, from);
    for (let time = 0; time < 3; time++) await attempt(before, 'wrong');
    await before.close();
    const after = await createTestApp({ database: kept });
    const refused = await attempt(after, PASSWORD);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
    expect((await attempt(after, PASSWORD, { 'x-test-ip': '10.55.0.10' })).statusCode).toBe(200);
    await after.close();
    await database.close();
  });

  it('logins that succeed are not counted, however many come at once', async () => {
    const portal = await guarded();
    const ip = '10.55.0.3';
    const answers = await Promise.all(Array.from({ length: 8 }, () => login(portal, PASSWORD, { ip })));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });

  it('guesses that come at once are checked one after another, so that three are checked', async () => {
    const portal = await guarded();
    const ip = '10.55.0.4';
    const guesses = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.all(guesses.map((guess) => login(portal, guess, { ip })));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([401, 401, 429, 429, 429, 429]);
    expect((await login(portal, PASSWORD, { ip })).statusCode).toBe(429);
  });

  it('login is refused (401) when a portal has no users', async () => {
    const { url } = await createPortal(owner, ECHO);
    const answer = await app.call('POST', `${url}/login`, { username: 'a', password: 'b' });
    expect(answer.statusCode).toBe(401);
  });
});

describe('§2.6 portal users', () => {
  it('§2.6 are added by the owner, listed by name without their password, which is stored hashed, and unique in their portal', async () => {
    const portal = await guarded();
    const added = await owner.call('POST', portal.users, { username: 'Bob', password: 'four' });
    expect([added.statusCode, added.json()]).toEqual([
      200,
      { id: expect.any(String), username: 'Bob', created_at: expect.any(String) },
    ]);
    const list = await owner.call('GET', portal.users);
    expect(list.json<{ username: string }[]>().map(({ username }) => username)).toEqual(['ada', 'Bob']);
    expect(list.body).not.toContain('password');
    expect((await owner.call('POST', portal.users, { username: 'ada', password: 'four' })).statusCode).toBe(
      400,
    );
    const { rows } = await app.services.database.sql.query<{ row: string }>({
      text: 'SELECT u::text AS row FROM portal_users u',
    });
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(PASSWORD);
  });

  it('§2.6 have a username and a password for one workflow', async () => {
    const [one, other] = [await guarded(), await createPortal(owner, ECHO)];
    const body = { username: 'ada', password: 'other-password' };
    expect((await owner.call('POST', `${other.owner_url}/users`, body)).statusCode).toBe(200);
    const open = async (url: string, password: string) =>
      (await app.call('POST', `${url}/login`, { username: 'ada', password })).statusCode;
    expect(await open(one.url, PASSWORD)).toBe(200);
    expect(await open(one.url, 'other-password')).toBe(401);
    expect(await open(other.url, 'other-password')).toBe(200);
  });

  it.each([
    { username: '', password: 'four' },
    { username: 'x'.repeat(101), password: 'four' },
    { username: 'bob', password: 'abc' },
    { username: 'bob' },
  ])('%j is refused with 422', async (body) => {
    const { users } = await guarded();
    expect((await owner.call('POST', users, body)).statusCode).toBe(422);
  });

  it('of another portal are not reached through this one', async () => {
    const [one, other] = [await guarded(), await guarded()];
    expect((await owner.call('DELETE', `${one.users}/${other.ada}`)).statusCode).toBe(404);
    const reset = await owner.call('PUT', `${one.users}/${other.ada}`, { password: 'another' });
    expect(reset.statusCode).toBe(404);
    expect((await login(other, PASSWORD)).statusCode).toBe(200);
  });

  it('go with their workflow', async () => {
    const { id } = await guarded();
    expect((await owner.call('DELETE', `/api/workflows/${id}`)).statusCode).toBe(204);
    const { rows } = await app.services.database.sql.query({
      text: 'SELECT 1 FROM portal_users WHERE workflow_id = $1',
      values: [id],
    });
    expect(rows).toEqual([]);
  });
});
