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
  const answers = (path: string) =>
    Object.keys((verbs[path] as { post: { responses: object } } | undefined)?.post.responses ?? {});
  // §4.3 and §4.4: what these endpoints refuse before and after they know the caller.
  expect(answers('/api/mcp/tools/call')).toEqual(expect.arrayContaining(['200', '401', '413', '422']));
  expect(answers('/api/mcp/message')).toEqual(expect.arrayContaining(['200', '401', '409', '413']));
  expect(answers('/api/portal/{slug}/login')).toEqual(expect.arrayContaining(['401', '413', '422', '429']));
  const media = (path: string) =>
    Object.keys(
      (verbs[path] as { post: { requestBody: { content: object } } } | undefined)?.post.requestBody.content ??
        {},
    );
  expect(media('/api/file-intake/u/{token}')).toEqual(['multipart/form-data']);
  expect(media('/api/skills/import')).toEqual(['multipart/form-data', 'application/zip']);
  expect((await app.call('GET', '/docs')).statusCode).toBeLessThan(400);
  await app.close();
});
