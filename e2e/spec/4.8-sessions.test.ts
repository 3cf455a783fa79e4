import { useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();

const PERSON = { email: 'ada@example.com', password: 'Passw0rd!', name: 'Ada' };
const TOKENS = {
  access_token: expect.any(String),
  refresh_token: expect.any(String),
  token_type: 'bearer',
};

describe('§4.8 session endpoints', () => {
  it('§4.8: POST /api/auth/register makes an account, login opens it, refresh renews it', async () => {
    const registered = await app.call('POST', '/api/auth/register', PERSON);
    expect(registered.statusCode).toBe(201);
    expect(registered.json()).toEqual(TOKENS);
    const loggedIn = await app.call('POST', '/api/auth/login', PERSON);
    expect(loggedIn.statusCode).toBe(200);
    expect(loggedIn.json()).toEqual(TOKENS);
    const { refresh_token } = loggedIn.json();
    const refreshed = await app.call('POST', '/api/auth/refresh', { refresh_token });
    expect(refreshed.statusCode).toBe(200);
    expect(refreshed.json()).toEqual(TOKENS);
    const me = await app.call('GET', '/api/auth/me', undefined, {
      authorization: `Bearer ${refreshed.json().access_token}`,
    });
    expect(me.json()).toMatchObject({ email: PERSON.email, name: PERSON.name });
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
});
