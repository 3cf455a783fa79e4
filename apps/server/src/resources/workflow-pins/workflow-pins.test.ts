import { expect, test } from 'vitest';
import { type TestUser, useOwnTestApp } from '../../testing/index.ts';

const app = await useOwnTestApp();
const owner = await app.user('Owner');
const friend = await app.user('Friend');

const made = async (name: string): Promise<string> =>
  (await owner.call('POST', '/api/workflows', { name })).json<{ id: string }>().id;
const loadPins = async (user: TestUser): Promise<string[]> =>
  (await user.call('GET', '/api/workflow-pins')).json<{ workflow_ids: string[] }>().workflow_ids;

test('pins belong to one person, the newest first, and pinning twice changes nothing', async () => {
  const [one, two] = [await made('one'), await made('two')];
  expect(await loadPins(owner)).toEqual([]);
  await owner.call('PUT', `/api/workflows/${one}/pin`);
  app.clock.now += 1000;
  const answer = await owner.call('PUT', `/api/workflows/${two}/pin`);
  expect(answer.json()).toEqual({ workflow_ids: [two, one] });
  await owner.call('PUT', `/api/workflows/${one}/pin`);
  expect(await loadPins(owner)).toEqual([two, one]);
  expect(await loadPins(friend)).toEqual([]);

  expect((await owner.call('DELETE', `/api/workflows/${two}/pin`)).json()).toEqual({ workflow_ids: [one] });
  expect((await owner.call('DELETE', `/api/workflows/${two}/pin`)).statusCode).toBe(200);
});

test('a shared workflow can be pinned; its pin shows for as long as the share lasts', async () => {
  const shared = await made('shared');
  expect((await friend.call('PUT', `/api/workflows/${shared}/pin`)).statusCode).toBe(404);
  await owner.call('POST', `/api/workflows/${shared}/shares`, { email: friend.email });
  expect((await friend.call('PUT', `/api/workflows/${shared}/pin`)).statusCode).toBe(200);
  expect(await loadPins(friend)).toEqual([shared]);
  await owner.call('DELETE', `/api/workflows/${shared}/shares/${friend.id}`);
  expect(await loadPins(friend)).toEqual([]);
});

test('a deleted workflow takes its pins along', async () => {
  const id = await made('short-lived');
  await owner.call('PUT', `/api/workflows/${id}/pin`);
  expect(await loadPins(owner)).toContain(id);
  await owner.call('DELETE', `/api/workflows/${id}`);
  expect(await loadPins(owner)).not.toContain(id);
});
