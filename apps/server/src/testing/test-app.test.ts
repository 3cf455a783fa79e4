import { expect, test } from 'vitest';
import { createTestApp } from './test-app.ts';

test('a test app answers health, readiness and its OpenAPI document', async () => {
  const app = await createTestApp();
  expect((await app.call('GET', '/healthz')).json()).toEqual({ status: 'ok' });
  expect((await app.call('GET', '/readyz')).statusCode).toBe(200);
  expect((await app.call('GET', '/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' });
  expect((await app.call('GET', '/nowhere')).json()).toMatchObject({ code: 'not_found' });
  await app.close();
});
