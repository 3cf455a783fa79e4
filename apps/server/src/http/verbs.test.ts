import { expect, test } from 'vitest';
import { shareTestApp } from '../testing/test-app.ts';

test('§7 405: a known address with a wrong verb names the verbs that it takes', async () => {
  const app = await shareTestApp();
  const wrong = await app.call('DELETE', '/api/auth/login');
  expect(wrong.statusCode).toBe(405);
  expect(wrong.headers['allow']).toBe('POST');
  expect((await app.call('DELETE', '/api/nowhere')).statusCode).toBe(404);
  await app.close();
});

test('§4: a slash at the end leads to the same address', async () => {
  const app = await shareTestApp();
  const user = await app.user();
  const created = await user.call('POST', '/api/workflows/', { name: 'Slash' });
  expect(created.statusCode).toBe(201);
  const { id } = created.json<{ id: string }>();
  for (const path of ['/api/workflows/', '/folders/', '/folders/tree/', `/api/workflows/${id}/`])
    expect((await user.call('GET', path)).statusCode, path).toBe(200);
  expect((await user.call('POST', `/api/workflows/${id}/execute/?test_run=true`, {})).statusCode).toBe(400);
  const wrong = await user.call('PATCH', '/api/workflows/');
  expect([wrong.statusCode, wrong.headers['allow']]).toEqual([405, 'GET, POST']);
  await app.close();
});

test('an address that lost the id behind its last slash deletes nothing', async () => {
  const app = await shareTestApp();
  const user = await app.user();
  const { id } = (await user.call('POST', '/api/workflows', { name: 'Kept' })).json<{ id: string }>();
  for (const path of [`/api/workflows/${id}/history/`, `/api/workflows/${id}/?a=1`, '/api/workflows/'])
    expect((await user.call('DELETE', path)).statusCode, path).toBe(404);
  expect((await user.call('GET', `/api/workflows/${id}`)).statusCode).toBe(200);
  await app.close();
});
