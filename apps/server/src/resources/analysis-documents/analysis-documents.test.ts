import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareTestApp, type TestApp, type TestUser } from '../../testing/index.ts';

let app: TestApp;
let owner: TestUser;
let friend: TestUser;
let url: string;
beforeAll(async () => {
  app = await shareTestApp();
  [owner, friend] = [await app.user('Owner'), await app.user('Friend')];
  const { id } = (await owner.call('POST', '/api/workflows', { name: 'w' })).json<{ id: string }>();
  url = `/api/workflows/${id}/analysis-note`;
});
afterAll(() => app.close());

test('an empty document has revision 0', async () => {
  expect((await owner.call('GET', url)).json()).toEqual({
    content: '',
    revision: 0,
    updated_by: null,
    updated_at: null,
  });
});

test('§5.8: sharing a workflow gives access to its analysis document', async () => {
  expect((await friend.call('GET', url)).statusCode).toBe(404);
  await owner.call('POST', url.replace('analysis-note', 'shares'), { email: friend.email });
  const written = await friend.call('PUT', url, { content: 'seen', base_revision: 0 });
  expect(written.json()).toMatchObject({
    content: 'seen',
    revision: 1,
    updated_by: { id: friend.id, name: 'Friend' },
  });
  for (const user of [owner, friend]) expect((await user.call('GET', url)).json()).toEqual(written.json());
});

test('409: of simultaneous writers one wins, the others get its text', async () => {
  const { revision } = (await owner.call('GET', url)).json<{ revision: number }>();
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((content) => owner.call('PUT', url, { content, base_revision: revision })),
  );
  const won = answers.filter((answer) => answer.statusCode === 200);
  expect(won).toHaveLength(1);
  const lost = answers.filter((answer) => answer.statusCode === 409);
  expect(lost).toHaveLength(3);
  const { content } = won[0]?.json<{ content: string }>() ?? {};
  for (const answer of lost)
    expect(answer.json()).toMatchObject({ detail: { content, revision: revision + 1 } });
});
