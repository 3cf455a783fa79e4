import { expect, test } from 'vitest';
import { shareTestApp } from '../testing/test-app.ts';

test('the document and the page that shows it describe the same endpoints', async () => {
  const app = await shareTestApp();
  const document = (await app.call('GET', '/openapi.json')).json<{ paths: object }>();
  const shown = (await app.call('GET', '/docs/json')).json<{ paths: object }>();
  expect(Object.keys(document.paths)).toContain('/api/workflows/{id}');
  expect(shown.paths).toEqual(document.paths);
  const verbs = document.paths as Record<string, object>;
  expect(Object.keys(verbs['/api/workflows/{workflow_id}/execute'] ?? {})).toEqual(
    expect.arrayContaining(['get', 'post', 'put', 'delete']),
  );
  expect((await app.call('GET', '/docs')).statusCode).toBeLessThan(400);
  await app.close();
});
