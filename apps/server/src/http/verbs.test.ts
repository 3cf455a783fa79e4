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
