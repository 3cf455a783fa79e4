import { DAY_MS } from '@millrace/engine/units';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { insertClient, insertGrant } from '../../resources/oauth/queries.ts';
import { createTestApp, type TestApp, type TestUser } from '../../testing/index.ts';
import { dailyJobs } from './jobs.ts';
import { runDueJobs } from './runner.ts';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await createTestApp({ env: { REFRESH_TOKEN_DAYS: '30' } });
});
afterAll(() => app.close());
beforeEach(async () => {
  user = await app.user();
});

async function runJob(name: string): Promise<object> {
  const job = dailyJobs(app.services).find((each) => each.name === name);
  if (!job) throw new Error(`there is no job "${name}"`);
  return job.run();
}

async function count(table: 'sessions' | 'refresh_tokens' | 'oauth_grants'): Promise<number> {
  const { rows } = await app.services.database.sql.query<{ count: number }>({
    text: `SELECT count(*)::int AS count FROM ${table} WHERE user_id = $1`,
    values: [user.id],
  });
  return rows[0]?.count ?? 0;
}

const refresh = async (refresh_token: string): Promise<string> =>
  (await app.call('POST', '/api/auth/refresh', { refresh_token })).json<{ refresh_token: string }>()
    .refresh_token;

test('sessions that have ended or ran out go with their tokens; others keep theirs until they expire', async () => {
  const signedOut = await app.call('POST', '/api/auth/login', { email: user.email, password: 'Passw0rd!' });
  const { access_token } = signedOut.json<{ access_token: string }>();
  await app.call('POST', '/api/auth/logout', {}, { authorization: `Bearer ${access_token}` });
  expect([await count('sessions'), await count('refresh_tokens')]).toEqual([2, 2]);
  await runJob('sessions');
  expect([await count('sessions'), await count('refresh_tokens')]).toEqual([1, 1]);

  app.clock.now += 20 * DAY_MS;
  const next = await refresh(user.refresh_token);
  await runJob('sessions');
  expect(await count('refresh_tokens')).toBe(2);

  app.clock.now += 20 * DAY_MS;
  await runJob('sessions');
  expect([await count('sessions'), await count('refresh_tokens')]).toEqual([1, 1]);
  expect(await refresh(next)).toBeDefined();

  app.clock.now += 30 * DAY_MS;
  await runJob('sessions');
  expect([await count('sessions'), await count('refresh_tokens')]).toEqual([0, 0]);
});

test('codes that were never exchanged go once they expire, grants long after', async () => {
  const { db } = app.services.database;
  const client_id = newId();
  await insertClient(db, { client_id, name: 'c', redirect_uris: [], auth_method: 'none' });
  const at = (days: number) => new Date(app.clock.now + days * DAY_MS);
  const grant = { user_id: user.id, client_id, scope: 'mcp', redirect_uri: '', code_challenge: '' };
  const expires = { code_expires_at: at(1), token_expires_at: at(30) };
  await insertGrant(db, { ...grant, id: newId(), code_hash: newId(), code_expires_at: at(1) });
  await insertGrant(db, { ...grant, ...expires, id: newId(), code_hash: newId(), token_hash: newId() });
  await runJob('oauth-grants');
  expect(await count('oauth_grants')).toBe(2);
  app.clock.now += 2 * DAY_MS;
  expect(await runJob('oauth-grants')).toEqual({ removed: 1 });
  app.clock.now += 100 * DAY_MS;
  expect(await runJob('oauth-grants')).toEqual({ removed: 0 });
  app.clock.now += 20 * DAY_MS;
  expect(await runJob('oauth-grants')).toEqual({ removed: 1 });
});

test('§3.3, §8.3: scheduled workflows are deleted at 23:59 in the configured timezone', async () => {
  const berlin = await createTestApp({ env: { TIMEZONE: 'Europe/Berlin' } });
  try {
    const owner = await berlin.user();
    const nodes = [{ id: 'a', type: 'cron', position: { x: 0, y: 0 }, data: { label: 'a', active: false } }];
    const made = await owner.call('POST', '/api/workflows', { name: 'Old', nodes, edges: [] });
    const { id } = made.json<{ id: string }>();
    await owner.call('PUT', `/workflows/${id}/schedule-deletion`);
    const existsBehind = async (time: string) => {
      const services = { ...berlin.services, now: () => Date.parse(time) };
      await runDueJobs(services, dailyJobs(services));
      return (await owner.call('GET', `/api/workflows/${id}`)).statusCode === 200;
    };
    expect(await existsBehind('2027-02-01T22:58:59Z')).toBe(true);
    expect(await existsBehind('2027-02-01T22:59:00Z')).toBe(false);
  } finally {
    await berlin.close();
  }
});
