import { DAY_MS } from '@millrace/engine/units';
import { expect, test } from 'vitest';
import { useOwnTestApp } from '../../testing/index.ts';
import { purgeChats } from './service.ts';

const PATH = '/api/chats';

const app = await useOwnTestApp();
const owner = await app.user('Owner');
const stranger = await app.user('Stranger');

async function created(body: object = {}, user = owner): Promise<string> {
  const answer = await user.call('POST', PATH, body);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string }>().id;
}

const listed = async (query = '', user = owner) =>
  (await user.call('GET', `${PATH}${query}`)).json<{
    items: { id: string; title: string }[];
    total: number;
  }>();
const workflow = async (user = owner): Promise<string> =>
  (await user.call('POST', '/api/workflows', { name: 'w' })).json<{ id: string }>().id;

test('chats are listed by their last use, renamed, found by their title, and deleted', async () => {
  const first = await created();
  app.clock.now += 1000;
  const second = await created();
  expect((await listed()).items.map(({ id }) => id)).toEqual([second, first]);
  const renamed = await owner.call('PATCH', `${PATH}/${first}`, { title: ' 100% sure ' });
  expect(renamed.json()).toMatchObject({ id: first, title: '100% sure', is_answering: false });
  expect(await listed('?search=100%25')).toMatchObject({ total: 1, items: [{ id: first }] });
  expect(await listed('?limit=1')).toMatchObject({ total: 2, items: [{ id: second }] });
  expect((await owner.call('PATCH', `${PATH}/${first}`, { title: ' ' })).statusCode).toBe(422);
  expect((await owner.call('DELETE', `${PATH}/${first}`)).statusCode).toBe(204);
  expect((await owner.call('GET', `${PATH}/${first}`)).statusCode).toBe(404);
});

test('§5.8: for others it does not exist', async () => {
  const id = await created();
  const answer_id = crypto.randomUUID();
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { title: 'x' }],
    ['POST', '/stop'],
    ['GET', `/answers/${answer_id}`],
    ['POST', `/answers/${answer_id}/decision`, { decision: 'rejected' }],
    ['DELETE', ''],
  ] as const) {
    expect((await stranger.call(method, `${PATH}/${id}${path}`, body)).statusCode, path).toBe(404);
  }
  expect(await listed('', stranger)).toMatchObject({ total: 0 });
  expect((await owner.call('GET', `${PATH}/${id}/answers/${answer_id}`)).statusCode).toBe(404);
});

test('those about a workflow are listed apart, and only for as long as it can be seen', async () => {
  const workflow_id = await workflow();
  expect((await stranger.call('POST', PATH, { workflow_id })).statusCode).toBe(404);
  await owner.call('POST', `/api/workflows/${workflow_id}/shares`, { email: stranger.email });
  const theirs = await created({ workflow_id }, stranger);
  const mine = await created({ workflow_id });
  expect((await listed(`?workflow_id=${workflow_id}`)).items.map(({ id }) => id)).toEqual([mine]);
  expect((await listed()).items.map(({ id }) => id)).not.toContain(mine);
  await owner.call('DELETE', `/api/workflows/${workflow_id}/shares/${stranger.id}`);
  expect((await stranger.call('GET', `${PATH}/${theirs}`)).statusCode).toBe(404);
  await owner.call('DELETE', `/api/workflows/${workflow_id}`);
  expect((await owner.call('GET', `${PATH}/${mine}`)).statusCode).toBe(404);
});

test('a person has at most a thousand', async () => {
  const busy = await app.user();
  await app.services.database.sql.query({
    text: 'INSERT INTO chats (user_id) SELECT $1 FROM generate_series(1, 1000)',
    values: [busy.id],
  });
  const refused = await busy.call('POST', PATH, {});
  expect(refused.statusCode).toBe(409);
  expect(refused.body).toContain('delete some');
});

test('those that were not used for long are removed', async () => {
  const [old, fresh] = [await created(), await created()];
  const { sql } = app.services.database;
  await sql.query({
    text: 'UPDATE chats SET updated_at = $2 WHERE id = $1',
    values: [old, new Date(app.clock.now - 3 * DAY_MS)],
  });
  const purge = (days: number) => purgeChats(sql, { now_ms: app.clock.now, days });
  expect(await purge(0)).toBe(0);
  expect(await purge(4)).toBe(0);
  expect(await purge(2)).toBe(1);
  expect((await owner.call('GET', `${PATH}/${old}`)).statusCode).toBe(404);
  expect((await owner.call('GET', `${PATH}/${fresh}`)).statusCode).toBe(200);
});
