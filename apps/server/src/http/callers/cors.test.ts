import { describe, expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { createWorkflow, ECHO, executeUrl } from '../../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp } from '../../testing/test-app.ts';

const PAGE = 'https://app.example.org';
const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
};

async function withApp(env: Record<string, string>, check: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await createTestApp({ env });
  try {
    await check(app);
  } finally {
    await app.close();
  }
}

const SENDS_TO = async (app: TestApp): Promise<string> =>
  executeUrl(await createWorkflow(await app.user(), ECHO));

describe('CORS_ORIGINS', () => {
  test('a page of a listed origin may call a workflow and read its answer, also an error and a stream (§4.1)', () =>
    withApp({ CORS_ORIGINS: `${PAGE}/, https://other.example.org` }, async (app) => {
      const url = await SENDS_TO(app);
      const preflight = await app.call('OPTIONS', url, undefined, { origin: PAGE, ...PREFLIGHT });
      expect(preflight.statusCode).toBe(204);
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': PAGE,
        'access-control-allow-headers': 'authorization,content-type',
        'access-control-allow-methods': expect.stringContaining('POST'),
        vary: expect.stringContaining('Origin'),
      });
      for (const [address, status] of [
        [url, 200],
        [`${url}/stream`, 200],
        ['/api/workflows', 401],
      ] as const) {
        const answer = await app.call('POST', address, { text: 'x' }, { origin: PAGE });
        expect(answer.statusCode).toBe(status);
        expect(answer.headers).toMatchObject({
          'access-control-allow-origin': PAGE,
          'access-control-expose-headers': expect.stringContaining('X-Execution-Id'),
        });
        expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      }
    }));

  test('a page of another origin gets no permission', () =>
    withApp({ CORS_ORIGINS: PAGE }, async (app) => {
      const url = await SENDS_TO(app);
      const preflight = await app.call('OPTIONS', url, undefined, {
        origin: 'https://evil.example',
        ...PREFLIGHT,
      });
      expect(preflight.statusCode).toBe(405);
      expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
    }));

  test('`*` lets every page call, one without an origin too, but never with the cookie of a session', () =>
    withApp({ CORS_ORIGINS: '*' }, async (app) => {
      const user = await app.user();
      const url = await SENDS_TO(app);
      const called = await app.call('POST', url, { text: 'x' }, { origin: 'null' });
      expect(called.headers['access-control-allow-origin']).toBe('*');
      const cookie = `access_token=${user.access_token}`;
      const made = await app.call('POST', '/api/workflows', { name: 'x' }, { origin: PAGE, cookie });
      expect(made.statusCode).toBe(403);
    }));

  test('opens MCP to pages of an origin that is listed by name (§5.6)', async () => {
    const ask = (app: TestApp, origin: string) =>
      app.call('POST', '/api/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, { origin });
    await withApp({ CORS_ORIGINS: PAGE }, async (app) => {
      expect((await ask(app, PAGE)).statusCode).toBe(401);
      expect((await ask(app, 'https://evil.example')).statusCode).toBe(403);
    });
    await withApp({ CORS_ORIGINS: '*' }, async (app) => {
      expect((await ask(app, PAGE)).statusCode).toBe(403);
    });
  });

  test.each(['app.example.org', 'https://app.example.org/path', 'ftp://app.example.org', PAGE + ',nonsense'])(
    'refuses %s at the start',
    (text) => {
      expect(() => readConfig({ CORS_ORIGINS: text })).toThrow(/CORS_ORIGINS/);
    },
  );
});
