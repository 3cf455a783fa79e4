import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../testing/index.ts';

const app = await useTestApp();
const owner = await app.user('Owner');
const friend = await app.user('Friend');
const stranger = await app.user('Stranger');

let counter = 0;
const SECRET = 'sk-0123456789-very-secret';

async function add(user: TestUser, type = 'openai', config: Record<string, unknown> = { api_key: SECRET }) {
  counter += 1;
  const answer = await user.call('POST', '/api/credentials', { name: `credential ${counter}`, type, config });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string; name: string }>();
}

describe('POST /api/credentials', () => {
  test('§2.7: 201: answers the record with a mask in place of the secret, as all reads do', async () => {
    const answer = await owner.call('POST', '/api/credentials', {
      name: 'masked',
      type: 'openai',
      config: { api_key: SECRET },
    });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({
      name: 'masked',
      type: 'openai',
      masked_value: 'sk-0123**',
      readable: true,
    });
    expect(answer.body).not.toContain(SECRET);
    const { id } = answer.json<{ id: string }>();
    for (const url of ['/api/credentials', `/api/credentials/${id}`]) {
      const { body } = await owner.call('GET', url);
      expect(body).toContain('sk-0123**');
      expect(body).not.toContain(SECRET);
    }
  });

  test.each([
    ['flaresolverr', { flaresolverr_url: 'http://me:hunter2@host:8191' }, 'http://me:**@host:8191'],
    [
      'supabase',
      { supabase_url: 'http://me:hunter2@host', supabase_key: 'key' },
      'http://me:**@host (public)',
    ],
    ['clickhouse', { host: 'http://me:hunter2@host' }, 'http://me:**@host (default)'],
  ])('201: a password inside the address that %s shows is masked', async (type, config, masked_value) => {
    const { id } = await add(owner, type, config);
    const answer = await owner.call('GET', `/api/credentials/${id}`);
    expect(answer.json()).toMatchObject({ masked_value });
    expect(answer.body).not.toContain('hunter2');
  });

  test('409: a name is used once per owner, and again by others', async () => {
    const body = { name: 'once', type: 'bearer', config: { bearer_token: 'abc' } };
    expect((await owner.call('POST', '/api/credentials', body)).statusCode).toBe(201);
    expect((await owner.call('POST', '/api/credentials', body)).statusCode).toBe(409);
    expect((await friend.call('POST', '/api/credentials', body)).statusCode).toBe(201);
  });

  test.each([
    ['an unknown type', { type: 'nothing', config: {} }, ['body', 'type']],
    ['a missing field', { type: 'openai', config: {} }, ['body', 'config', 'api_key']],
    ['a blank field', { type: 'openai', config: { api_key: '' } }, ['body', 'config', 'api_key']],
    ['an unknown field', { type: 'openai', config: { api_key: 'x', more: 1 } }, ['body', 'config', 'more']],
    [
      'a wrong address',
      { type: 'custom', config: { api_key: 'x', base_url: 'ftp://x' } },
      ['body', 'config', 'base_url'],
    ],
    [
      'a header name with a space',
      { type: 'header', config: { header_key: 'a b', header_value: 'x' } },
      ['body', 'config', 'header_key'],
    ],
    [
      'a header value of two lines',
      { type: 'header', config: { header_value: 'x\r\ny: z' } },
      ['body', 'config', 'header_value'],
    ],
    [
      'a key that is none',
      { type: 'discord_trigger', config: { public_key: 'abc' } },
      ['body', 'config', 'public_key'],
    ],
    [
      'a port out of range',
      { type: 'redis', config: { redis_host: 'x', redis_port: 70_000 } },
      ['body', 'config', 'redis_port'],
    ],
    [
      'a queue with neither address nor host',
      { type: 'rabbitmq', config: {} },
      ['body', 'config', 'rabbitmq_host'],
    ],
    [
      'an object in place of text',
      { type: 'openai', config: { api_key: { a: 1 } } },
      ['body', 'config', 'api_key'],
    ],
  ])('422: %s is named', async (_, body, loc) => {
    const answer = await owner.call('POST', '/api/credentials', { name: 'wrong', ...body });
    expect(answer.statusCode).toBe(422);
    expect(answer.json<{ detail: unknown[] }>().detail).toContainEqual(expect.objectContaining({ loc }));
  });

  test.each(['__proto__', 'constructor', 'prototype', '  ', 'a\0b'])('422: the name %j', async (name) => {
    const answer = await owner.call('POST', '/api/credentials', {
      name,
      type: 'bearer',
      config: { bearer_token: 'abc' },
    });
    expect(answer.statusCode).toBe(422);
  });
});

describe('GET /api/credentials', () => {
  test('own ones first, newest first, then shared ones, then those of teams; each once', async () => {
    const me = await app.user('Lister');
    const mine = [await add(me), await add(me)];
    const shared = await add(owner);
    const both = await add(owner);
    const team = (await me.call('POST', '/api/teams', { name: 'Listing' })).json<{ id: string }>();
    await me.call('POST', `/api/teams/${team.id}/members`, { email: owner.email });
    const teamOnly = await add(owner);
    for (const { id } of [both, teamOnly]) {
      await owner.call('POST', `/api/credentials/${id}/team-shares`, { team_id: team.id });
    }
    for (const { id } of [shared, both]) {
      await owner.call('POST', `/api/credentials/${id}/shares`, { email: me.email });
    }
    const list = (await me.call('GET', '/api/credentials')).json<Record<string, unknown>[]>();
    expect(list.map((row) => row['id'])).toHaveLength(5);
    expect(
      list
        .slice(0, 2)
        .map((row) => row['id'])
        .sort(),
    ).toEqual(mine.map((row) => row.id).sort());
    expect(list[4]).toMatchObject({
      id: teamOnly.id,
      is_shared: true,
      shared_by: owner.email,
      shared_by_team: 'Listing',
    });
    expect(list.find((row) => row['id'] === both.id)).toMatchObject({
      is_shared: true,
      shared_by_team: null,
    });
  });

  test('by type and for models', async () => {
    const me = await app.user('Typed');
    const key = await add(me, 'google');
    await add(me, 'bearer', { bearer_token: 'abcdefghij' });
    const ids = (answer: { json(): unknown }) => (answer.json() as { id: string }[]).map((row) => row.id);
    expect(ids(await me.call('GET', '/api/credentials/by-type/google'))).toEqual([key.id]);
    expect(ids(await me.call('GET', '/api/credentials/llm'))).toEqual([key.id]);
    expect((await me.call('GET', '/api/credentials/by-type/none')).json()).toEqual([]);
    expect((await me.call('GET', '/api/credentials/by-type/a%00b')).statusCode).toBe(404);
  });
});

describe('PUT /api/credentials/{id}', () => {
  test('200: a blank secret keeps the stored one', async () => {
    const { id } = await add(owner, 'custom', { api_key: SECRET, base_url: 'https://a.example/v1' });
    const answer = await owner.call('PUT', `/api/credentials/${id}`, {
      config: { api_key: '', base_url: 'https://b.example/v1' },
    });
    expect(answer.json()).toMatchObject({
      masked_value: 'sk-0123**',
      public_fields: { base_url: 'https://b.example/v1' },
    });
  });

  test('§2.7: an empty base_url of a code-hosting credential keeps the stored one', async () => {
    const { id } = await add(owner, 'github', { api_key: SECRET, base_url: 'https://git.example' });
    const answer = await owner.call('PUT', `/api/credentials/${id}`, {
      config: { api_key: 'ghp_other_one', base_url: '' },
    });
    expect(answer.json()).toMatchObject({
      masked_value: 'ghp_oth**',
      public_fields: { base_url: 'https://git.example' },
    });
  });

  test('200: null clears an optional field', async () => {
    const { id } = await add(owner, 'github', { api_key: SECRET, base_url: 'https://git.example' });
    const answer = await owner.call('PUT', `/api/credentials/${id}`, { config: { base_url: null } });
    expect(answer.json()).toMatchObject({ masked_value: 'sk-0123**', public_fields: {} });
  });

  test('the owner sees all that is not secret and others what the type names, so that an edit can keep the rest', async () => {
    const config = {
      host: 'db.example',
      port: 6543,
      database: 'd',
      username: 'u',
      password: SECRET,
      use_tls: false,
    };
    const { id } = await add(owner, 'postgres', config);
    await owner.call('POST', `/api/credentials/${id}/shares`, { email: friend.email });
    const readFields = async (user: typeof owner) =>
      (await user.call('GET', `/api/credentials/${id}`)).json<{ public_fields: object }>().public_fields;
    const { password: _, ...open } = config;
    expect(await readFields(owner)).toEqual(open);
    expect(await readFields(friend)).toEqual({ host: 'db.example', database: 'd' });
  });

  test('the owner alone is told which fields have a value that is not shown, and can clear them', async () => {
    const base_url = 'https://me:hidden-password@git.example';
    const { id } = await add(owner, 'github', { api_key: SECRET, base_url });
    await owner.call('POST', `/api/credentials/${id}/shares`, { email: friend.email });
    const read = async (user: typeof owner) => (await user.call('GET', `/api/credentials/${id}`)).json();
    expect(await read(owner)).toMatchObject({ public_fields: {}, withheld_fields: ['api_key', 'base_url'] });
    expect(await read(friend)).toMatchObject({ withheld_fields: [] });
    await owner.call('PUT', `/api/credentials/${id}`, { config: { base_url: null } });
    expect(await read(owner)).toMatchObject({ public_fields: {}, withheld_fields: ['api_key'] });
  });

  test('409: the name of another own credential', async () => {
    const [first, second] = [await add(owner), await add(owner)];
    const answer = await owner.call('PUT', `/api/credentials/${second.id}`, { name: first.name });
    expect(answer.statusCode).toBe(409);
  });

  test('§2.7: 403 for whom it is shared with, 404 for strangers', async () => {
    const { id } = await add(owner);
    await owner.call('POST', `/api/credentials/${id}/shares`, { email: friend.email });
    expect((await friend.call('PUT', `/api/credentials/${id}`, { name: 'mine now' })).statusCode).toBe(403);
    expect((await friend.call('GET', `/api/credentials/${id}`)).statusCode).toBe(200);
    expect((await stranger.call('PUT', `/api/credentials/${id}`, { name: 'mine now' })).statusCode).toBe(404);
    expect((await stranger.call('GET', `/api/credentials/${id}`)).statusCode).toBe(404);
  });
});

describe('DELETE /api/credentials/{id}', () => {
  test('204 for the owner, 403 for whom it is shared with, 404 for strangers', async () => {
    const { id } = await add(owner);
    await owner.call('POST', `/api/credentials/${id}/shares`, { email: friend.email });
    expect((await friend.call('DELETE', `/api/credentials/${id}`)).statusCode).toBe(403);
    expect((await stranger.call('DELETE', `/api/credentials/${id}`)).statusCode).toBe(404);
    expect((await owner.call('DELETE', `/api/credentials/${id}`)).statusCode).toBe(204);
    expect((await friend.call('GET', `/api/credentials/${id}`)).statusCode).toBe(404);
  });
});

describe('a model router', () => {
  let decision: string;
  let options: Record<string, string | boolean>[];
  const config = (more: Record<string, unknown> = {}) => ({
    decision_credential_id: decision,
    decision_model: 'small',
    options,
    ...more,
  });
  const create = (more?: Record<string, unknown>) =>
    owner.call('POST', '/api/credentials', {
      name: `router ${++counter}`,
      type: 'model_router',
      config: config(more),
    });

  beforeAll(async () => {
    decision = (await add(owner, 'decision', { base_url: 'https://decide.example' })).id;
    const first = (await add(owner)).id;
    const second = (await add(owner, 'google')).id;
    options = [
      { label: 'fast', credential_id: first, model: 'm1', criteria: 'short questions', is_default: true },
      { label: 'good', credential_id: second, model: 'm2', criteria: 'everything else' },
    ];
  });

  test('§2.7: 201: shows its decision model and number of options, and no mask', async () => {
    const answer = await create();
    expect(answer.json()).toMatchObject({
      masked_value: null,
      public_fields: { decision_model: 'small', option_count: 2 },
    });
  });

  test('§2.7, §8.4: its configuration is for its owner, its one model is Auto, which supports no batch mode', async () => {
    const { id } = (await create()).json<{ id: string }>();
    await owner.call('POST', `/api/credentials/${id}/shares`, { email: friend.email });
    const own = await owner.call('GET', `/api/credentials/${id}/model-router`);
    expect(own.json()).toMatchObject({ decision_model: 'small', timeout_seconds: 10 });
    expect((await friend.call('GET', `/api/credentials/${id}/model-router`)).statusCode).toBe(403);
    expect((await friend.call('GET', `/api/credentials/${id}/models`)).json()).toMatchObject([
      {
        id: 'auto',
        name: 'Auto',
        supports_batch: false,
        batch_support_reason: 'A model router cannot be used in batch mode',
      },
    ]);
  });

  test('400: only routers have a router configuration', async () => {
    const { id } = await add(owner);
    expect((await owner.call('GET', `/api/credentials/${id}/model-router`)).statusCode).toBe(400);
  });

  test.each([
    ['one option', () => ({ options: options.slice(0, 1) })],
    ['a label twice', () => ({ options: options.map((option) => ({ ...option, label: 'same' })) })],
    ['two fallbacks', () => ({ options: options.map((option) => ({ ...option, is_default: true })) })],
    ['a decision credential of another type', () => ({ decision_credential_id: options[0]?.credential_id })],
    [
      'an option that is no model credential',
      () => ({ options: [options[0], { ...options[1], credential_id: decision }] }),
    ],
    ['an empty model', () => ({ options: [options[0], { ...options[1], model: ' ' }] })],
    ['an unknown field', () => ({ extra: true })],
  ])('422: %s', async (_, more) => {
    expect((await create(more())).statusCode).toBe(422);
  });

  test('422: a router as an option of a router', async () => {
    const nested = (await create()).json<{ id: string }>().id;
    const answer = await create({
      options: [options[0], { label: 'nested', credential_id: nested, model: 'x' }],
    });
    expect(answer.body).toContain('cannot be nested');
  });

  test("422: another user's credential as an option", async () => {
    const foreign = (await add(stranger)).id;
    const answer = await create({
      options: [options[0], { label: 'theirs', credential_id: foreign, model: 'x' }],
    });
    expect(answer.statusCode).toBe(422);
  });
});

describe('GET /api/credentials/{id}/models', () => {
  test('400 for types that have no models, 404 for strangers', async () => {
    const { id } = await add(owner, 'bearer', { bearer_token: 'abcdefghij' });
    expect((await owner.call('GET', `/api/credentials/${id}/models`)).statusCode).toBe(400);
    expect((await stranger.call('GET', `/api/credentials/${id}/models`)).statusCode).toBe(404);
  });
  test('503 when the provider cannot be reached', async () => {
    const { id } = await add(owner, 'custom', { api_key: 'x', base_url: 'http://127.0.0.1:9/v1' });
    expect((await owner.call('GET', `/api/credentials/${id}/models`)).statusCode).toBe(503);
  });
});
