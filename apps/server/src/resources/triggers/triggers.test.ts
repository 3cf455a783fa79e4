import type { Trigger } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../testing/index.ts';

const app = await useTestApp();
const owner = await app.user('Owner');
const friend = await app.user('Friend');

const node = (id: string, data: object) => ({
  id,
  type: 'cron',
  position: { x: 0, y: 0 },
  data: { label: id, cronExpression: '0 9 * * *', ...data },
});
const listTriggers = async (user: TestUser, query = '') =>
  (await user.call('GET', `/api/triggers${query}`)).json<Trigger[]>();

test('a trigger is listed with its state, and only to those who see its workflow', async () => {
  const nodes = [node('a', {}), node('b', { active: false })];
  const made = await owner.call('POST', '/api/workflows', { name: 'Morning', nodes, edges: [] });
  const { id } = made.json<{ id: string }>();
  const list = await listTriggers(owner);
  expect(list).toMatchObject([
    { workflow_id: id, workflow_name: 'Morning', node_id: 'a', type: 'cron', kind: 'clock', state: 'new' },
    { workflow_id: id, node_id: 'b', state: 'paused', next_due_at: null, lag_ms: 0 },
  ]);
  expect(await listTriggers(friend)).toEqual([]);
  await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
  expect(await listTriggers(friend, `?workflow_id=${id}`)).toEqual(await listTriggers(owner));
  await owner.call('PUT', `/workflows/${id}/schedule-deletion`);
  expect((await listTriggers(owner)).map(({ state }) => state)).toEqual(['paused', 'paused']);
});

test('a trigger goes with its node and with its workflow', async () => {
  const made = await owner.call('POST', '/api/workflows', {
    name: 'Short',
    nodes: [node('c', {})],
    edges: [],
  });
  const { id } = made.json<{ id: string }>();
  expect(await listTriggers(owner, `?workflow_id=${id}`)).toHaveLength(1);
  await owner.call('PUT', `/api/workflows/${id}`, { nodes: [] });
  expect(await listTriggers(owner, `?workflow_id=${id}`)).toEqual([]);
});
