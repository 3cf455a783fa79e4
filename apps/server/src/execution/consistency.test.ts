// cspell:ignore ther
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../adapters/postgres/open.ts';
import { createWorkflow, executeUrl, graph } from '../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp, type TestUser } from '../testing/test-app.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
  silent,
} from './journal/testing/databases.ts';

/**
 * Two applications on one database, as two processes would be. No hint of one ever reaches the other, and neither clock
 * moves: what is seen at once is seen because of the database.
 */
describeOnPostgres('what one process has changed', () => {
  let postgres: PostgresForTest;
  let one: TestApp;
  let two: TestApp;
  let owner: TestUser;
  let friend: TestUser;
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    const open = () => createTestApp({ database: openPostgres({ url: postgres.url, log: silent }) });
    one = await open();
    two = await open();
    await two.listen();
    [owner, friend] = [await one.user(), await one.user()];
  });
  afterAll(async () => {
    await one.close();
    await two.close();
    await postgres.database.close();
  });

  const saying = (text: string) =>
    graph(
      [
        ['start', 'textInput'],
        ['out', 'output', { message: text }],
      ],
      ['start>out'],
    );
  const bearer = (user: { access_token: string }) => ({ authorization: `Bearer ${user.access_token}` });
  /** Calls the other process; everything that it needs is in its memory by then. */
  const execute = (id: string, headers = {}, body: object = {}) =>
    two.call('POST', executeUrl(id), body, headers);
  const said = async (id: string) => (await execute(id)).json<{ outputs: object }>().outputs;

  test('a saved workflow is what an immediately following call of another one runs', async () => {
    const id = await createWorkflow(owner, saying('0'));
    expect(await said(id)).toEqual({ out: { result: '0' } });
    for (let round = 1; round <= 25; round++) {
      await owner.call('PUT', `/api/workflows/${id}`, saying(String(round)));
      expect(await said(id)).toEqual({ out: { result: String(round) } });
    }
  });

  test('so are changed settings', async () => {
    const id = await createWorkflow(owner, saying('hi'));
    expect((await execute(id)).statusCode).toBe(200);
    await owner.call('PUT', `/api/workflows/${id}`, { auth_type: 'jwt' });
    expect((await execute(id)).statusCode).toBe(401);
    await owner.call('PUT', `/api/workflows/${id}`, { auth_type: 'anonymous', http_method: 'PUT' });
    expect((await execute(id)).statusCode).toBe(405);
    await owner.call('DELETE', `/api/workflows/${id}`);
    expect((await execute(id)).statusCode).toBe(404);
  });

  test('an answer that was cached for the former version is not given any more', async () => {
    const id = await createWorkflow(owner, saying('old'), { cache_ttl_seconds: 60 });
    const ask = async () => {
      const { status, outputs } = (await execute(id)).json<{ status: string; outputs: object }>();
      return { status, outputs };
    };
    expect(await ask()).toMatchObject({ status: 'success' });
    await expect.poll(ask).toMatchObject({ status: 'cached' });
    await owner.call('PUT', `/api/workflows/${id}`, saying('new'));
    expect(await ask()).toEqual({ status: 'success', outputs: { out: { result: 'new' } } });
  });

  test('a revoked execution token is refused at once', async () => {
    const id = await createWorkflow(owner, saying('hi'), { auth_type: 'jwt' });
    const url = `/api/workflows/${id}/execution-tokens`;
    for (let round = 0; round < 10; round++) {
      const made = await owner.call('POST', url, { ttl_seconds: 600 });
      const { token, id: token_id } = made.json<{ token: string; id: string }>();
      const headers = { authorization: `Bearer ${token}` };
      expect((await execute(id, headers)).statusCode).toBe(200);
      await owner.call('DELETE', `${url}/${token_id}`);
      expect((await execute(id, headers)).statusCode).toBe(401);
    }
  });

  test('a share that was taken back is over at once, and one that was given is there', async () => {
    const id = await createWorkflow(owner, saying('hi'), { auth_type: 'jwt' });
    for (let round = 0; round < 10; round++) {
      expect((await execute(id, bearer(friend))).statusCode).toBe(404);
      await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
      expect((await execute(id, bearer(friend))).statusCode).toBe(200);
      await owner.call('DELETE', `/api/workflows/${id}/shares/${friend.id}`);
    }
    expect((await execute(id, bearer(friend))).statusCode).toBe(404);
  });

  test('so is membership in a team, and the team itself', async () => {
    const id = await createWorkflow(owner, saying('hi'), { auth_type: 'jwt' });
    const team = (await owner.call('POST', '/api/teams', { name: 'T' })).json<{ id: string }>().id;
    await owner.call('POST', `/api/workflows/${id}/team-shares`, { team_id: team });
    const status = async () => (await execute(id, bearer(friend))).statusCode;
    expect(await status()).toBe(404);
    await owner.call('POST', `/api/teams/${team}/members`, { email: friend.email });
    expect(await status()).toBe(200);
    await owner.call('DELETE', `/api/teams/${team}/members/${friend.id}`);
    expect(await status()).toBe(404);
    await owner.call('POST', `/api/teams/${team}/members`, { email: friend.email });
    expect(await status()).toBe(200);
    await owner.call('DELETE', `/api/teams/${team}`);
    expect(await status()).toBe(404);
  });

  test.each<[string, (user: TestUser) => Promise<unknown>]>([
    ['signed out', (user) => user.call('POST', '/api/auth/logout')],
    [
      'ended from the list of sessions',
      async (user) => {
        const [session] = (await user.call('GET', '/api/auth/sessions')).json<{ id: string }[]>();
        return user.call('DELETE', `/api/auth/sessions/${session?.id ?? ''}`);
      },
    ],
  ])('a session that was %s is over at once', async (_, end) => {
    const user = await one.user();
    const id = await createWorkflow(user, saying('hi'), { auth_type: 'jwt' });
    const me = async () => (await two.call('GET', '/api/auth/me', undefined, bearer(user))).statusCode;
    expect([await me(), (await execute(id, bearer(user))).statusCode]).toEqual([200, 200]);
    await end(user);
    expect([(await execute(id, bearer(user))).statusCode, await me()]).toEqual([401, 401]);
  });

  test('a changed password ends the other sessions at once', async () => {
    const user = await one.user();
    const signed_in = await one.call('POST', '/api/auth/login', { email: user.email, password: 'Passw0rd!' });
    const other = signed_in.json<{ access_token: string }>();
    const me = async () => (await two.call('GET', '/api/auth/me', undefined, bearer(other))).statusCode;
    expect(await me()).toBe(200);
    const passwords = { current_password: 'Passw0rd!', new_password: 'An0ther-one' };
    expect((await user.call('POST', '/api/auth/change-password', passwords)).statusCode).toBe(204);
    expect(await me()).toBe(401);
  });

  test('is seen in a moment even when it was changed past all processes', async () => {
    const user = await one.user();
    const me = async () => (await two.call('GET', '/api/auth/me', undefined, bearer(user))).statusCode;
    expect(await me()).toBe(200);
    await postgres.database.sql.query({ text: 'DELETE FROM users WHERE id = $1', values: [user.id] });
    await expect.poll(me, { interval: 10 }).toBe(401);
  });

  test('soon ends the stream of a user who lost access, even without a hint', async () => {
    const slow = graph(
      [
        ['start', 'textInput'],
        ['pause', 'wait', { duration: 6_000 }],
      ],
      ['start>pause'],
    );
    const id = await createWorkflow(owner, slow, { auth_type: 'jwt' });
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
    const base = `http://127.0.0.1:${(two.app.server.address() as AddressInfo).port}`;
    const headers = { ...bearer(friend), 'content-type': 'application/json' };
    const stream = await fetch(`${base}${executeUrl(id, '/stream')}`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    const text = stream.text();
    await owner.call('DELETE', `/api/workflows/${id}/shares/${friend.id}`);
    expect(await text).not.toContain('execution_complete');
  });

  test('costs nothing to know as long as nothing changes: many calls share a look, and none reads a workflow', async () => {
    const id = await createWorkflow(owner, saying('hi'));
    await execute(id);
    const { sql } = two.services.database;
    const asked: string[] = [];
    const { query } = sql;
    sql.query = (statement) => {
      asked.push(statement.name ?? statement.text);
      return query.call(sql, statement) as never;
    };
    try {
      await Promise.all(Array.from({ length: 50 }, () => execute(id)));
    } finally {
      sql.query = query;
    }
    expect(asked.filter((name) => name !== 'change_clock')).toEqual([]);
    expect(asked.length).toBeLessThan(10);
  });
});
