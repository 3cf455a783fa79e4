import { describe, expect, test } from 'vitest';
import type { GlobalWrite } from '../../ports/run/run-secrets.ts';
import { type TestUser, useTestApp } from '../../testing/index.ts';

const app = await useTestApp();
const owner = await app.user('Owner');
const friend = await app.user('Friend');
const stranger = await app.user('Stranger');

const URL = '/api/global-variables';
let counter = 0;

async function add(
  user: TestUser,
  value: unknown = 1,
  value_type = 'auto',
): Promise<{ id: string; name: string }> {
  const answer = await user.call('POST', URL, { name: `variable ${++counter}`, value, value_type });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
}

/** As the end of a run does. */
const write = (user: TestUser, name: string, value: unknown, more: Partial<GlobalWrite> = {}) =>
  app.services.database.journal.transaction((tx) =>
    app.services.run_secrets.setGlobalVariable(tx, user.id, { name, value, sealed_value: null, ...more }),
  );
const loadValues = async (user: TestUser) => ({
  ...(await app.services.run_secrets.globalVariables(user.id)).values,
});

describe('POST /api/global-variables', () => {
  test.each([
    ['auto', '5', '5'],
    ['auto', { a: [1] }, { a: [1] }],
    ['auto', null, null],
    ['string', 5, '5'],
    ['number', ' 5e2 ', 500],
    ['boolean', 'yes', true],
    ['array', '[1,"2"]', [1, '2']],
    ['object', '{"a":1}', { a: 1 }],
  ])('201: %s stores %j as %j', async (value_type, value, stored) => {
    const answer = await owner.call('POST', URL, { name: `v${++counter}`, value, value_type });
    expect(answer.json()).toMatchObject({ value: stored, value_type, revision: 1, is_shared: false });
  });

  test.each([
    ['number', 'five'],
    ['boolean', 'maybe'],
    ['array', { a: 1 }],
    ['object', '[1]'],
    ['object', '{"__proto__":{"x":1}}'],
    ['object', '{"a":{"constructor":1}}'],
    ['auto', { prototype: 1 }],
    ['auto', 'NUL \0'],
  ])('422: %s does not take %j', async (value_type, value) => {
    const answer = await owner.call('POST', URL, { name: `v${++counter}`, value, value_type });
    expect(answer.statusCode).toBe(422);
    const { detail } = answer.json<{ detail: { loc: string[] }[] }>();
    expect(detail.map(({ loc }) => loc.slice(0, 2))).toEqual([['body', 'value']]);
  });

  test('409: a name is used once per owner', async () => {
    const { name } = await add(owner);
    expect((await owner.call('POST', URL, { name })).statusCode).toBe(409);
    expect((await friend.call('POST', URL, { name })).statusCode).toBe(201);
  });

  test.each(['__proto__', 'constructor', ' '])('422: the name %j', async (name) => {
    expect((await owner.call('POST', URL, { name })).statusCode).toBe(422);
  });
});

describe('PATCH /api/global-variables/{id}', () => {
  test('a person it is shared with changes the value, not name or type', async () => {
    const { id } = await add(owner);
    await owner.call('POST', `${URL}/${id}/shares`, { email: friend.email });
    expect((await friend.call('PATCH', `${URL}/${id}`, { value: 2 })).json()).toMatchObject({
      value: 2,
      revision: 2,
    });
    expect((await friend.call('PATCH', `${URL}/${id}`, { name: 'x' })).statusCode).toBe(403);
    expect((await friend.call('PATCH', `${URL}/${id}`, { value_type: 'string' })).statusCode).toBe(403);
    expect((await stranger.call('PATCH', `${URL}/${id}`, { value: 3 })).statusCode).toBe(404);
  });

  test('50 simultaneous increments all count', async () => {
    const { id } = await add(owner, 0);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => owner.call('PATCH', `${URL}/${id}`, { increment: 2 })),
    );
    expect(answers.map((answer) => answer.statusCode)).toEqual(Array(50).fill(200));
    expect((await owner.call('GET', `${URL}/${id}`)).json()).toMatchObject({ value: 100, revision: 51 });
  });

  test('409: of two writers from the same revision the second is told so', async () => {
    const { id } = await add(owner);
    const write = () => owner.call('PATCH', `${URL}/${id}`, { value: 'x', base_revision: 1 });
    expect((await write()).statusCode).toBe(200);
    expect((await write()).json()).toMatchObject({ code: 'conflict', detail: { revision: 2 } });
  });

  test('422: a number never grows beyond what it can hold', async () => {
    const { id } = await add(owner, 1e308);
    expect((await owner.call('PATCH', `${URL}/${id}`, { increment: 1e308 })).statusCode).toBe(422);
    expect((await owner.call('GET', `${URL}/${id}`)).json()).toMatchObject({ value: 1e308 });
  });

  test('409: only numbers are incremented; 422: not together with a value', async () => {
    const { id } = await add(owner, 'text');
    expect((await owner.call('PATCH', `${URL}/${id}`, { increment: 1 })).statusCode).toBe(409);
    expect((await owner.call('PATCH', `${URL}/${id}`, { increment: 1, value: 1 })).statusCode).toBe(422);
  });

  test('a new type converts the value that is there', async () => {
    const { id } = await add(owner, '7');
    const answer = await owner.call('PATCH', `${URL}/${id}`, { value_type: 'number' });
    expect(answer.json()).toMatchObject({ value: 7, value_type: 'number' });
  });
});

describe('deleting', () => {
  test("bulk: other people's ids are ignored", async () => {
    const [mine, theirs] = [await add(owner), await add(friend)];
    const answer = await owner.call('POST', `${URL}/bulk-delete`, { ids: [mine.id, theirs.id] });
    expect(answer.statusCode).toBe(204);
    expect((await owner.call('GET', `${URL}/${mine.id}`)).statusCode).toBe(404);
    expect((await friend.call('GET', `${URL}/${theirs.id}`)).statusCode).toBe(200);
  });
});

describe('in runs', () => {
  test('own beats shared beats team', async () => {
    const me = await app.user();
    const team = (await owner.call('POST', '/api/teams', { name: 'T' })).json<{ id: string }>();
    await owner.call('POST', `/api/teams/${team.id}/members`, { email: me.email });
    const create = async (user: TestUser, name: string, value: string) =>
      (await user.call('POST', URL, { name, value })).json<{ id: string }>().id;
    for (const name of ['all', 'two']) {
      const byTeam = await create(owner, name, 'team');
      await owner.call('POST', `${URL}/${byTeam}/team-shares`, { team_id: team.id });
      const byShare = await create(friend, name, 'share');
      await friend.call('POST', `${URL}/${byShare}/shares`, { email: me.email });
    }
    const one = await create(owner, 'one', 'team');
    await owner.call('POST', `${URL}/${one}/team-shares`, { team_id: team.id });
    await create(me, 'all', 'own');
    const { values } = await app.services.run_secrets.globalVariables(me.id);
    expect({ ...values }).toEqual({ all: 'own', two: 'share', one: 'team' });
  });

  test('a run creates and changes the own variable of its person', async () => {
    const me = await app.user();
    await write(me, 'counter', 1);
    await write(me, 'counter', null);
    expect(await loadValues(me)).toEqual({ counter: null });
    await write(me, 'counter', { nested: [1] });
    expect((await me.call('GET', URL)).json()).toMatchObject([{ name: 'counter', value: { nested: [1] } }]);
    expect(app.services.run_secrets.refusesGlobal('__proto__', 1)).toContain('its name');
  });

  test('a declared type converts what a run writes, and gives way to what it cannot convert', async () => {
    const me = await app.user();
    await me.call('POST', URL, { name: 'n', value: 1, value_type: 'number' });
    await write(me, 'n', '42');
    expect(await loadValues(me)).toEqual({ n: 42 });
    await write(me, 'n', 'many');
    expect((await me.call('GET', URL)).json()).toMatchObject([{ value: 'many', value_type: 'auto' }]);
  });

  test('increments of concurrent runs add up, regardless of what each has read', async () => {
    const me = await app.user();
    await Promise.all(Array.from({ length: 12 }, () => write(me, 'sum', 1, { by: 1 })));
    expect(await loadValues(me)).toEqual({ sum: 12 });
    await write(me, 'sum', 'text');
    await write(me, 'sum', 5, { by: 1 });
    expect(await loadValues(me)).toEqual({ sum: 5 });
  });

  test('§5.8: a value that holds a credential value is shown masked, and runs read what it is', async () => {
    const me = await app.user();
    const secret = 'sk-global-0123456789';
    const config = { bearer_token: secret };
    await me.call('POST', '/api/credentials', { name: 'Key', type: 'bearer', config });
    const value = `Bearer ${secret}`;
    const created = await me.call('POST', URL, { name: 'auth', value });
    const { id } = created.json<{ id: string }>();
    expect(created.json()).toMatchObject({ value: 'Bearer sk-glob**' });
    expect(await loadValues(me)).toEqual({ auth: value });
    const unchanged = { name: 'auth2', value: 'Bearer sk-glob**', value_type: 'string' };
    expect((await me.call('PATCH', `${URL}/${id}`, unchanged)).json()).toMatchObject({
      value: 'Bearer sk-glob**',
    });
    expect(await loadValues(me)).toEqual({ auth2: value });
    const { sql } = app.services.database;
    const { rows } = await sql.query({ text: 'SELECT t::text FROM global_variables t' });
    expect(JSON.stringify(rows)).not.toContain(secret);
  });
});
