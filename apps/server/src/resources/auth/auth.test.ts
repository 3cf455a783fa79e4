import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createTestApp, useOwnTestApp } from '../../testing/index.ts';

const app = await useOwnTestApp();

const PASSWORD = 'Passw0rd!';
const TOKENS = {
  access_token: expect.any(String),
  refresh_token: expect.any(String),
  token_type: 'bearer',
};
let people = 0;
const person = () => {
  people += 1;
  return { email: `someone-${people}@example.com`, password: PASSWORD, name: 'Someone' };
};
/** Each call from an address of its own, so that attempt limits do not meet. */
const from = () => {
  people += 1;
  return { 'x-test-ip': `172.16.${people >> 8}.${people & 255}` };
};
const register = (body: unknown) => app.call('POST', '/api/auth/register', body, from());
const login = (body: unknown) => app.call('POST', '/api/auth/login', body, from());
const cookie = (answer: { cookies: { name: string; value: string }[] }, name: string) =>
  answer.cookies.find((item) => item.name === name);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
/** The access token in a cookie for the service, the refresh token in one for the path that renews it. */
function expectCookies(answer: Awaited<ReturnType<typeof app.call>>) {
  const { access_token, refresh_token } = answer.json<Record<string, string>>();
  const hidden = { httpOnly: true, sameSite: 'Lax' };
  expect(cookie(answer, 'access_token')).toMatchObject({ value: access_token, path: '/', ...hidden });
  expect(cookie(answer, 'refresh_token')).toMatchObject({
    value: refresh_token,
    path: '/api/auth/refresh',
    ...hidden,
  });
}
const countUsers = async () => {
  const result = await app.services.database.db.execute(sql`SELECT count(*)::int AS n FROM users`);
  return (result as { rows: { n: number }[] }).rows[0]?.n;
};

describe('POST /api/auth/register', () => {
  it('§4.8, §5.3: 201 with both tokens, also as HttpOnly cookies', async () => {
    const answer = await register(person());
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual(TOKENS);
    expectCookies(answer);
  });

  it('409 when the address is taken, ignoring case', async () => {
    const someone = person();
    await register(someone);
    const answer = await register({ ...someone, email: someone.email.toUpperCase() });
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'conflict' });
  });

  it('422 names the wrong field of each body and writes nothing', async () => {
    const before = await countUsers();
    for (const [field, value] of [
      ['email', 'not-an-address'],
      ['email', 'a\u0000@example.com'],
      ['email', ['a@example.com']],
      ['password', 'short1A'],
      ['password', null],
      ['name', '  '],
      ['name', 'x\u0000y'],
      ['name', 'x'.repeat(101)],
    ] as const) {
      const answer = await register({ ...person(), [field]: value });
      expect(answer.statusCode, `${field} = ${String(value)}`).toBe(422);
      expect(answer.json().detail[0].loc).toEqual(['body', field]);
    }
    expect(await countUsers()).toBe(before);
  });

  it('422 for a body that is not an object', async () => {
    for (const body of [[], 'text', 5, null]) {
      const answer = await app.app.inject({
        method: 'POST',
        url: '/api/auth/register',
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      });
      expect(answer.statusCode, JSON.stringify(body)).toBe(422);
    }
  });

  it('does not let the body make its writer an administrator', async () => {
    const answer = await register({
      ...person(),
      is_admin: true,
      id: '00000000-0000-4000-8000-000000000000',
    });
    const me = await app.call('GET', '/api/auth/me', undefined, bearer(answer.json().access_token));
    expect(me.json()).toMatchObject({ is_admin: false });
  });

  it('403 when registration is closed, except for the first account, which becomes administrator', async () => {
    const closed = await createTestApp({ env: { ALLOW_REGISTER: 'false' } });
    expect((await closed.call('GET', '/api/auth/policy')).json()).toMatchObject({
      registration_open: true,
      first_account: true,
    });
    const first = await closed.user();
    expect((await first.call('GET', '/api/auth/me')).json()).toMatchObject({ is_admin: true });
    const second = await closed.call('POST', '/api/auth/register', person());
    expect(second.statusCode).toBe(403);
    expect((await closed.call('GET', '/api/auth/policy')).json()).toMatchObject({
      registration_open: false,
      first_account: false,
    });
    await closed.close();
  });

  it('makes exactly one administrator of simultaneous first registrations', async () => {
    const fresh = await createTestApp();
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        fresh.call('POST', '/api/auth/register', { ...person(), email: `first-${n}@example.com` }),
      ),
    );
    const mine = await Promise.all(
      answers.map((answer) =>
        fresh.call('GET', '/api/auth/me', undefined, bearer(answer.json().access_token)),
      ),
    );
    expect(mine.filter((answer) => answer.json().is_admin)).toHaveLength(1);
    await fresh.close();
  });
});

describe('POST /api/auth/login', () => {
  it('§4.8, §5.3: 200 with working tokens, also as HttpOnly cookies, ignoring the case of the address', async () => {
    const someone = person();
    await register(someone);
    const answer = await login({ email: ` ${someone.email.toUpperCase()} `, password: PASSWORD });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual(TOKENS);
    expectCookies(answer);
    const me = await app.call('GET', '/api/auth/me', undefined, bearer(answer.json().access_token));
    expect(me.json()).toMatchObject({ email: someone.email, name: 'Someone' });
  });

  it('§5.3: cookies are Secure where the service is reached over https', async () => {
    const signIn = async (target: typeof app) => {
      const { email } = await target.user();
      return target.call('POST', '/api/auth/login', { email, password: PASSWORD }, from());
    };
    expect((await signIn(app)).cookies.map(({ secure }) => secure === true)).toEqual([false, false]);
    const behindTls = await createTestApp({ env: { PUBLIC_URL: 'https://flows.example.com' } });
    expect((await signIn(behindTls)).cookies.map(({ secure }) => secure)).toEqual([true, true]);
    await behindTls.close();
  });

  it('401 alike for a wrong password and for an unknown address', async () => {
    const someone = person();
    await register(someone);
    const wrong = await login({ email: someone.email, password: 'Wrong1234' });
    const unknown = await login({ email: 'unknown@example.com', password: PASSWORD });
    expect([wrong.statusCode, unknown.statusCode]).toEqual([401, 401]);
    expect(wrong.json().detail).toBe(unknown.json().detail);
    expect(wrong.cookies).toEqual([]);
  });

  it('does the same work for an unknown address as for a wrong password', async () => {
    const someone = person();
    await register(someone);
    const time = async (email: string) => {
      const started = performance.now();
      await login({ email, password: 'Wrong1234' });
      return performance.now() - started;
    };
    await time('warm-up@example.com');
    const known = Math.min(await time(someone.email), await time(someone.email), await time(someone.email));
    const unknown = Math.min(await time('n1@example.com'), await time('n2@example.com'));
    expect(unknown).toBeGreaterThan(known / 3);
  });

  it('422 for wrong types', async () => {
    expect((await login({ email: { $ne: '' }, password: PASSWORD })).statusCode).toBe(422);
    expect((await login({ email: 'a@example.com', password: { $ne: '' } })).statusCode).toBe(422);
    expect((await login({ email: 'a\u0000@example.com', password: PASSWORD })).statusCode).toBe(422);
  });
});

describe('POST /api/auth/refresh', () => {
  it('§4.8, §5.3: 200 with a new token, by cookie and by body; a token in the body wins', async () => {
    const user = await app.user();
    const byCookie = await app.call('POST', '/api/auth/refresh', undefined, {
      cookie: `refresh_token=${user.refresh_token}`,
    });
    expect(byCookie.statusCode).toBe(200);
    expect(byCookie.json()).toEqual(TOKENS);
    expect(byCookie.json().refresh_token).not.toBe(user.refresh_token);
    expectCookies(byCookie);
    const byBody = await app.call(
      'POST',
      '/api/auth/refresh',
      { refresh_token: byCookie.json().refresh_token },
      { cookie: 'refresh_token=nonsense' },
    );
    expect(byBody.statusCode).toBe(200);
    const emptyBody = await app.call(
      'POST',
      '/api/auth/refresh',
      { refresh_token: '' },
      { cookie: `refresh_token=${byBody.json().refresh_token}` },
    );
    expect(emptyBody.statusCode).toBe(200);
  });

  it('§5.3: the old token is revoked at once: a replay returns 401', async () => {
    const { refresh_token } = await app.user();
    expect((await app.call('POST', '/api/auth/refresh', { refresh_token })).statusCode).toBe(200);
    expect((await app.call('POST', '/api/auth/refresh', { refresh_token })).statusCode).toBe(401);
  });

  it('§5.3: no answer lets another site read it with cookies', async () => {
    const answer = await app.call('POST', '/api/auth/refresh', {}, { origin: 'https://evil.example.com' });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('401 without a token, with a forged one and with an access token', async () => {
    const user = await app.user();
    for (const refresh_token of [undefined, 'x', `${user.refresh_token}x`, user.access_token]) {
      const answer = await app.call('POST', '/api/auth/refresh', { refresh_token });
      expect(answer.statusCode).toBe(401);
    }
  });

  it('401 after the token has expired', async () => {
    const own = await createTestApp({ env: { REFRESH_TOKEN_DAYS: '1' } });
    const user = await own.user();
    own.clock.now += 86_400_000 + 1000;
    const answer = await own.call('POST', '/api/auth/refresh', { refresh_token: user.refresh_token });
    expect(answer.statusCode).toBe(401);
    await own.close();
  });

  it('§5.3: exactly one of 50 simultaneous calls with one token wins, and the winner stays signed in', async () => {
    const user = await app.user();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        app.call('POST', '/api/auth/refresh', { refresh_token: user.refresh_token }),
      ),
    );
    const winners = answers.filter((answer) => answer.statusCode === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter((answer) => answer.statusCode === 401)).toHaveLength(49);
    const me = await app.call('GET', '/api/auth/me', undefined, bearer(winners[0]?.json().access_token));
    expect(me.statusCode).toBe(200);
  });

  it('§5.3: a later replay of a used token returns 401 and ends the whole session', async () => {
    const own = await createTestApp();
    const user = await own.user();
    const refreshed = await own.call('POST', '/api/auth/refresh', { refresh_token: user.refresh_token });
    own.clock.now += 60_000;
    const replay = await own.call('POST', '/api/auth/refresh', { refresh_token: user.refresh_token });
    expect(replay.statusCode).toBe(401);
    const { access_token, refresh_token } = refreshed.json();
    expect((await own.call('GET', '/api/auth/me', undefined, bearer(access_token))).statusCode).toBe(401);
    expect((await own.call('POST', '/api/auth/refresh', { refresh_token })).statusCode).toBe(401);
    await own.close();
  });
});

describe('POST /api/auth/logout', () => {
  it('204, clears both cookies, and neither token works any more', async () => {
    const user = await app.user();
    const answer = await app.call('POST', '/api/auth/logout', undefined, {
      cookie: `access_token=${user.access_token}`,
    });
    expect(answer.statusCode).toBe(204);
    expect(cookie(answer, 'access_token')).toMatchObject({ value: '', path: '/' });
    expect(cookie(answer, 'refresh_token')).toMatchObject({ value: '', path: '/api/auth/refresh' });
    expect((await user.call('GET', '/api/auth/me')).statusCode).toBe(401);
    const refreshed = await app.call('POST', '/api/auth/refresh', { refresh_token: user.refresh_token });
    expect(refreshed.statusCode).toBe(401);
  });

  it('204 for a caller who is not signed in', async () => {
    expect((await app.call('POST', '/api/auth/logout')).statusCode).toBe(204);
  });
});

describe('GET /api/auth/me', () => {
  it('200 by bearer token and by cookie, never with the password hash', async () => {
    const user = await app.user('Ada');
    const byCookie = await app.call('GET', '/api/auth/me', undefined, {
      cookie: `access_token=${user.access_token}`,
    });
    expect(byCookie.json()).toEqual({
      id: user.id,
      email: user.email,
      name: 'Ada',
      user_rules: null,
      daily_budget_usd: null,
      is_admin: expect.any(Boolean),
      created_at: expect.any(String),
    });
    expect((await user.call('GET', '/api/auth/me')).json()).toEqual(byCookie.json());
  });

  it('401 with WWW-Authenticate: Bearer without a token and with a wrong one', async () => {
    const user = await app.user();
    for (const headers of [
      {},
      { authorization: 'Bearer x' },
      { authorization: user.access_token },
      { authorization: `Basic ${user.access_token}` },
      { authorization: `Bearer ${user.refresh_token}` },
      { cookie: `access_token=${user.refresh_token}` },
      { authorization: 'Bearer x', cookie: `access_token=${user.access_token}` },
    ]) {
      const answer = await app.call('GET', '/api/auth/me', undefined, headers);
      expect(answer.statusCode, JSON.stringify(headers)).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('401 once the access token has expired', async () => {
    const own = await createTestApp({ env: { ACCESS_TOKEN_MINUTES: '1' } });
    const user = await own.user();
    expect((await user.call('GET', '/api/auth/me')).statusCode).toBe(200);
    own.clock.now += 61_000;
    expect((await user.call('GET', '/api/auth/me')).statusCode).toBe(401);
    await own.close();
  });

  it('401 at once after the account was deleted and the hint was given', async () => {
    const user = await app.user();
    expect((await user.call('GET', '/api/auth/me')).statusCode).toBe(200);
    await app.services.database.db.execute(sql`DELETE FROM users WHERE id = ${user.id}`);
    app.services.broadcast.publish('access_changed', `user:${user.id}`);
    expect((await user.call('GET', '/api/auth/me')).statusCode).toBe(401);
  });
});

describe('PUT /api/auth/me', () => {
  it('200 changes what is given; null and absent leave a field as it is, empty rules clear them', async () => {
    const user = await app.user('Old');
    await user.call('PUT', '/api/auth/me', { name: ' New ', user_rules: 'Be brief.' });
    const kept = await user.call('PUT', '/api/auth/me', { name: null });
    expect(kept.json()).toMatchObject({ name: 'New', user_rules: 'Be brief.' });
    const cleared = await user.call('PUT', '/api/auth/me', { user_rules: '' });
    expect(cleared.json()).toMatchObject({ name: 'New', user_rules: null });
    expect((await user.call('GET', '/api/auth/me')).json()).toEqual(cleared.json());
  });

  it('never changes id, address, rights or password', async () => {
    const user = await app.user();
    const before = (await user.call('GET', '/api/auth/me')).json();
    const answer = await user.call('PUT', '/api/auth/me', {
      id: '00000000-0000-4000-8000-000000000000',
      email: 'other@example.com',
      is_admin: true,
      password_hash: 'x',
      created_at: '2000-01-01T00:00:00Z',
    });
    expect(answer.json()).toEqual(before);
    expect((await login({ email: user.email, password: PASSWORD })).statusCode).toBe(200);
  });

  it('422 for an empty name, a long rule text and a NUL character', async () => {
    const user = await app.user();
    for (const body of [{ name: ' ' }, { user_rules: 'x'.repeat(4001) }, { user_rules: 'a\u0000b' }]) {
      expect((await user.call('PUT', '/api/auth/me', body)).statusCode).toBe(422);
    }
  });
});

describe('POST /api/auth/change-password', () => {
  it('204, the new password signs in, the old one does not', async () => {
    const user = await app.user();
    const answer = await user.call('POST', '/api/auth/change-password', {
      current_password: PASSWORD,
      new_password: 'Another1',
    });
    expect(answer.statusCode).toBe(204);
    expect((await login({ email: user.email, password: PASSWORD })).statusCode).toBe(401);
    expect((await login({ email: user.email, password: 'Another1' })).statusCode).toBe(200);
  });

  it('ends all other sessions of the user at once and keeps this one', async () => {
    const user = await app.user();
    const other = (await login({ email: user.email, password: PASSWORD })).json();
    expect((await app.call('GET', '/api/auth/me', undefined, bearer(other.access_token))).statusCode).toBe(
      200,
    );
    await user.call('POST', '/api/auth/change-password', {
      current_password: PASSWORD,
      new_password: 'Another1',
    });
    expect((await app.call('GET', '/api/auth/me', undefined, bearer(other.access_token))).statusCode).toBe(
      401,
    );
    const { refresh_token } = other;
    expect((await app.call('POST', '/api/auth/refresh', { refresh_token })).statusCode).toBe(401);
    expect((await user.call('GET', '/api/auth/me')).statusCode).toBe(200);
  });

  it('401 when the current password is wrong', async () => {
    const user = await app.user();
    const answer = await user.call('POST', '/api/auth/change-password', {
      current_password: 'Wrong1234',
      new_password: 'Another1',
    });
    expect(answer.statusCode).toBe(401);
  });
});

describe('GET and DELETE /api/auth/sessions', () => {
  it('200 lists own sessions, the asking one marked, and 204 ends one at once', async () => {
    const user = await app.user();
    const other = (await login({ email: user.email, password: PASSWORD })).json();
    const listed = (await user.call('GET', '/api/auth/sessions')).json<{ id: string; current: boolean }[]>();
    expect(listed.map((item) => item.current).sort()).toEqual([false, true]);
    const target = listed.find((item) => !item.current)?.id;
    expect((await user.call('DELETE', `/api/auth/sessions/${target}`)).statusCode).toBe(204);
    expect((await app.call('GET', '/api/auth/me', undefined, bearer(other.access_token))).statusCode).toBe(
      401,
    );
    expect((await user.call('GET', '/api/auth/sessions')).json()).toHaveLength(1);
    expect((await user.call('DELETE', `/api/auth/sessions/${target}`)).statusCode).toBe(404);
  });

  it("404 for another person's session, which stays valid", async () => {
    const [user, stranger] = [await app.user(), await app.user()];
    const [own] = (await user.call('GET', '/api/auth/sessions')).json<{ id: string }[]>();
    expect((await stranger.call('DELETE', `/api/auth/sessions/${own?.id}`)).statusCode).toBe(404);
    expect((await user.call('GET', '/api/auth/me')).statusCode).toBe(200);
  });

  it('422 for an id that is no uuid', async () => {
    const user = await app.user();
    expect((await user.call('DELETE', '/api/auth/sessions/x')).statusCode).toBe(422);
  });
});

it('§4.8: no body makes an endpoint fail with anything but a documented status', async () => {
  const bodies = [
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '{"email":{"$gt":""},"password":[]}',
    '{"__proto__":{"x":1}}',
  ];
  for (const path of ['register', 'login', 'refresh', 'logout']) {
    for (const payload of [...bodies, `{"email":"${'x'.repeat(300_000)}"}`]) {
      const answer = await app.app.inject({
        method: 'POST',
        url: `/api/auth/${path}`,
        headers: { 'content-type': 'application/json' },
        payload,
        remoteAddress: `10.9.${path.length}.${payload.length % 250}`,
      });
      expect([204, 401, 413, 422], `${path} ${payload.slice(0, 40)}`).toContain(answer.statusCode);
    }
  }
});
