import { createTestApp, type TestApp, useTestApp } from '@millrace/server/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hiddenFields, newPkce, postForm, REDIRECT, registerClient } from '../support/oauth-flow.ts';

const app = await useTestApp();

/** Address of the test; limits and bans of one test do not reach the next. */
let ip = '';
let addresses = 0;
const freshAddress = () => {
  addresses += 1;
  return `10.82.0.${addresses}`;
};
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  ip = freshAddress();
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const at = (address: string) => ({ 'x-test-ip': address });
let people = 0;

interface Attempt {
  readonly path: string;
  readonly limit: number;
  readonly ban_seconds: number;
  readonly good: () => unknown;
  readonly malformed: unknown;
  readonly malformed_status?: number;
  readonly status: number;
}
const ENDPOINTS: Attempt[] = [
  {
    path: '/api/auth/login',
    limit: 10,
    ban_seconds: 900,
    good: () => ({ email: 'unknown@example.com', password: 'Wrong1234' }),
    malformed: { email: 5 },
    status: 401,
  },
  {
    path: '/api/auth/register',
    limit: 5,
    ban_seconds: 600,
    good: () => {
      people += 1;
      return { email: `limit-${people}@example.com`, password: 'Passw0rd!', name: 'L' };
    },
    malformed: { email: 'x', password: 'weak', name: '' },
    status: 201,
  },
  {
    path: '/register',
    limit: 5,
    ban_seconds: 600,
    good: () => ({ redirect_uris: ['https://client.example/callback'] }),
    malformed: { redirect_uris: 5 },
    malformed_status: 400,
    status: 201,
  },
];

describe.each(ENDPOINTS)(
  '§8.2 limit of $path',
  ({ path, limit, ban_seconds, good, malformed, malformed_status = 422, status }) => {
    const attempt = (address = ip) => app.call('POST', path, good(), at(address));
    const exhaust = async () => {
      for (let n = 0; n < limit; n++) expect((await attempt()).statusCode).toBe(status);
    };

    it(`§8.2: ${limit} requests per 60 s pass, the next gets 429 with Retry-After ${ban_seconds}`, async () => {
      await exhaust();
      const refused = await attempt();
      expect(refused.statusCode).toBe(429);
      expect(refused.headers['retry-after']).toBe(String(ban_seconds));
      expect(refused.json()).toMatchObject({ code: 'rate_limited', detail: expect.any(String) });
    });

    it('§8.2: the limit is per IP', async () => {
      await exhaust();
      expect((await attempt()).statusCode).toBe(429);
      expect((await attempt(freshAddress())).statusCode).toBe(status);
    });

    it('§8.2: the window ends after 60 s when there was no ban', async () => {
      await exhaust();
      pass(61);
      expect((await attempt()).statusCode).toBe(status);
    });

    it(`§8.2: the ban lasts ${ban_seconds / 60} minutes, counts down, and ends`, async () => {
      await exhaust();
      await attempt();
      pass(ban_seconds - 10);
      const still = await attempt();
      expect(still.statusCode).toBe(429);
      expect(Number(still.headers['retry-after'])).toBeLessThanOrEqual(10);
      pass(11);
      expect((await attempt()).statusCode).toBe(status);
    });

    it('§8.2: requests that fail validation count as well, so that none is free', async () => {
      for (let n = 0; n < limit; n++) {
        expect((await app.call('POST', path, malformed, at(ip))).statusCode).toBe(malformed_status);
      }
      expect((await app.call('POST', path, malformed, at(ip))).statusCode).toBe(429);
      expect((await attempt()).statusCode).toBe(429);
    });

    it('a header does not move the caller to another address', async () => {
      await exhaust();
      for (const name of ['x-forwarded-for', 'x-real-ip', 'cf-connecting-ip']) {
        const answer = await app.call('POST', path, good(), { ...at(ip), [name]: freshAddress() });
        expect(answer.statusCode).toBe(429);
      }
    });
  },
);

describe('§8.2', () => {
  it('successful logins count as well', async () => {
    const { email } = await app.user();
    const login = () => app.call('POST', '/api/auth/login', { email, password: 'Passw0rd!' }, at(ip));
    for (let n = 0; n < 10; n++) expect((await login()).statusCode).toBe(200);
    expect((await login()).statusCode).toBe(429);
  });

  it('§8.2: without a shared store the limits apply to each process', async () => {
    const other = await createTestApp();
    try {
      const attempt = (process: TestApp) =>
        process.call('POST', '/api/auth/login', { email: 'x@example.com', password: 'x' }, at(ip));
      for (let n = 0; n < 11; n++) await attempt(app);
      expect((await attempt(app)).statusCode).toBe(429);
      expect((await attempt(other)).statusCode).toBe(401);
    } finally {
      await other.close();
    }
  });

  it('login and register are counted apart', async () => {
    const person = { email: 'apart@example.com', password: 'Passw0rd!', name: 'A' };
    for (let n = 0; n < 11; n++) {
      await app.call('POST', '/api/auth/login', { email: 'x@example.com', password: 'x' }, at(ip));
    }
    expect((await app.call('POST', '/api/auth/register', person, at(ip))).statusCode).toBe(201);
  });
});

it('§8.2: passwords on the consent page of the OAuth server count as logins', async () => {
  const { client_id = '' } = await registerClient(app);
  const query = new URLSearchParams({
    client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    code_challenge: newPkce().code_challenge,
    code_challenge_method: 'S256',
  });
  const page = await app.call('GET', `/authorize?${query.toString()}`);
  const guess = { email: 'unknown@example.com', password: 'Wrong1234' };
  const allow = () =>
    postForm(app, '/authorize', { ...hiddenFields(page.body), ...guess, decision: 'allow' });
  for (let n = 0; n < 5; n++) {
    expect((await app.call('POST', '/api/auth/login', guess, at('127.0.0.1'))).statusCode).toBe(401);
    expect((await allow()).statusCode).toBe(400);
  }
  const refused = await allow();
  expect([refused.statusCode, refused.headers['retry-after'], refused.headers['content-type']]).toEqual([
    429,
    '900',
    'text/html; charset=utf-8',
  ]);
  expect((await app.call('POST', '/api/auth/login', guess, at('127.0.0.1'))).statusCode).toBe(429);
});
