import { createTestApp, useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();

const PASSWORD = 'Passw0rd!';
const signIn = async (target = app) => {
  const { email } = await target.user();
  return target.call('POST', '/api/auth/login', { email, password: PASSWORD });
};

describe('§5.3 sessions', () => {
  it('§5.3: access tokens are stored in HttpOnly cookies that open the service', async () => {
    const answer = await signIn();
    const access = answer.cookies.find((cookie) => cookie.name === 'access_token');
    expect(access).toMatchObject({
      value: answer.json().access_token,
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
    });
    const me = await app.call('GET', '/api/auth/me', undefined, { cookie: `access_token=${access?.value}` });
    expect(me.statusCode).toBe(200);
  });

  it('§5.3: the refresh token is scoped to the path /api/auth/refresh', async () => {
    const answer = await signIn();
    const refresh = answer.cookies.find((cookie) => cookie.name === 'refresh_token');
    expect(refresh).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/api/auth/refresh' });
  });

  it('§5.3: cookies are Secure where the service is reached over https', async () => {
    expect((await signIn()).cookies.every((cookie) => cookie.secure !== true)).toBe(true);
    const behindTls = await createTestApp({ env: { PUBLIC_URL: 'https://flows.example.com' } });
    expect((await signIn(behindTls)).cookies.every((cookie) => cookie.secure === true)).toBe(true);
    await behindTls.close();
  });

  it('§5.3: each refresh call rotates the refresh token', async () => {
    const { refresh_token } = (await signIn()).json();
    const first = await app.call('POST', '/api/auth/refresh', { refresh_token });
    expect(first.json().refresh_token).not.toBe(refresh_token);
    const second = await app.call('POST', '/api/auth/refresh', { refresh_token: first.json().refresh_token });
    expect(second.statusCode).toBe(200);
  });

  it('§5.3: the old one is revoked at once; replaying it returns 401', async () => {
    const { refresh_token } = (await signIn()).json();
    expect((await app.call('POST', '/api/auth/refresh', { refresh_token })).statusCode).toBe(200);
    expect((await app.call('POST', '/api/auth/refresh', { refresh_token })).statusCode).toBe(401);
  });

  it('§5.3: of many simultaneous refresh calls with one token exactly one succeeds', async () => {
    const { refresh_token } = (await signIn()).json();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => app.call('POST', '/api/auth/refresh', { refresh_token })),
    );
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.statusCode === 401)).toHaveLength(49);
  });

  it('§5.3: no answer lets another site read it with cookies', async () => {
    const answer = await app.call('POST', '/api/auth/refresh', {}, { origin: 'https://evil.example.com' });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });
});
