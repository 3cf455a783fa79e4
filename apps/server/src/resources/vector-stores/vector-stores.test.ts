import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareTestApp, type TestApp, type TestUser } from '../../testing/index.ts';

let app: TestApp;
let owner: TestUser;
let friend: TestUser;
let stranger: TestUser;
let credential_id: string;
beforeAll(async () => {
  app = await shareTestApp();
  [owner, friend, stranger] = [await app.user('Owner'), await app.user('Friend'), await app.user('Stranger')];
  const body = {
    name: 'q',
    type: 'qdrant',
    config: { qdrant_host: 'localhost', openai_api_key: 'sk-12345678' },
  };
  credential_id = (await owner.call('POST', '/api/credentials', body)).json<{ id: string }>().id;
});
afterAll(() => app.close());

const URL = '/api/vector-stores';
let counter = 0;
const create = (more: Record<string, unknown> = {}, user = owner) =>
  user.call('POST', URL, { name: `store ${++counter}`, credential_id, ...more });

test('201: a collection name is made when none is given', async () => {
  const answer = await create();
  expect(answer.statusCode, answer.body).toBe(201);
  expect(answer.json()).toMatchObject({
    backend: 'qdrant',
    credential_id,
    collection_name: expect.stringMatching(/^millrace_vs_[0-9a-f]{32}$/),
  });
});

test('409: a name of the owner or a collection of any user', async () => {
  await create({ name: 'taken', collection_name: 'one' });
  expect((await create({ name: 'taken' })).statusCode).toBe(409);
  expect((await create({ collection_name: 'one' })).statusCode).toBe(409);
});

test('422: a credential of another type, or one that the caller cannot use', async () => {
  const bearer = { name: 'b', type: 'bearer', config: { bearer_token: 'abcdefghij' } };
  const other = (await owner.call('POST', '/api/credentials', bearer)).json<{ id: string }>().id;
  expect((await create({ credential_id: other })).statusCode).toBe(422);
  expect((await create({}, stranger)).statusCode).toBe(422);
});

test('a failing database is not blamed on the credential', async () => {
  const { sql } = app.services.database;
  await sql.query({ text: 'ALTER TABLE credentials RENAME TO credentials_away' });
  const answer = await create();
  await sql.query({ text: 'ALTER TABLE credentials_away RENAME TO credentials' });
  expect(answer.statusCode).toBe(500);
  expect(app.takeDefects()).toHaveLength(1);
});

test('shared: read by the person without the credential, changed by the owner alone', async () => {
  const { id } = (await create()).json<{ id: string }>();
  await owner.call('POST', `${URL}/${id}/shares`, { email: friend.email });
  expect((await friend.call('GET', `${URL}/${id}`)).json()).toMatchObject({
    is_shared: true,
    credential_id: null,
  });
  expect((await friend.call('PUT', `${URL}/${id}`, { name: 'x' })).statusCode).toBe(403);
  expect((await friend.call('DELETE', `${URL}/${id}`)).statusCode).toBe(403);
  expect((await stranger.call('GET', `${URL}/${id}`)).statusCode).toBe(404);
  expect((await owner.call('PUT', `${URL}/${id}`, { name: 'renamed' })).json()).toMatchObject({
    name: 'renamed',
  });
  expect((await friend.call('GET', URL)).json()).toMatchObject([{ id, shared_by: owner.email }]);
  expect((await owner.call('DELETE', `${URL}/${id}`)).statusCode).toBe(204);
  expect((await friend.call('GET', URL)).json()).toEqual([]);
});

test('a store outlives its credential', async () => {
  const body = { name: 'gone', type: 'pgvector', config: { openai_api_key: 'sk-12345678' } };
  const gone = (await owner.call('POST', '/api/credentials', body)).json<{ id: string }>().id;
  const { id } = (await create({ credential_id: gone })).json<{ id: string }>();
  await owner.call('DELETE', `/api/credentials/${gone}`);
  expect((await owner.call('GET', `${URL}/${id}`)).json()).toMatchObject({
    credential_id: null,
    backend: null,
  });
});
