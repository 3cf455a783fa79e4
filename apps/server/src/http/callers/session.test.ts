import { type AnyEndpoint, allEndpoints, type ExecutionToken, type Workflow } from '@millrace/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../core/ids.ts';
import { shareTestApp, type TestApp } from '../../testing/index.ts';

let app: TestApp;
/** Everything that is not a live session. */
const strangers: { who: string; headers: Record<string, string> }[] = [{ who: 'no session', headers: {} }];
beforeAll(async () => {
  app = await shareTestApp();
  const [user, gone] = [await app.user(), await app.user()];
  const workflow = (await user.call('POST', '/api/workflows', { name: 'X' })).json<Workflow>();
  const url = `/api/workflows/${workflow.id}/execution-tokens`;
  const { token } = (await user.call('POST', url, { ttl_seconds: 600 })).json<ExecutionToken>();
  await gone.call('POST', '/api/auth/logout');
  for (const [who, value] of [
    ['an execution token', token],
    ['a refresh token', user.refresh_token],
    ['an ended session', gone.access_token],
    ['a forged token', `${user.access_token.slice(0, -4)}AAAA`],
    ['nonsense', 'x'],
  ] as const) {
    strangers.push({ who, headers: { authorization: `Bearer ${value}` } });
    strangers.push({ who: `${who} as cookie`, headers: { cookie: `access_token=${value}` } });
  }
});
afterAll(() => app.close());

const guarded = allEndpoints.filter(({ auth }) => auth === 'session' || auth === 'admin');
const routePath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1');
const isBound = ({ method, path }: AnyEndpoint) => app.app.hasRoute({ method, url: routePath(path) });

describe('every endpoint that needs a session', () => {
  it('has some to look at', () => {
    expect(guarded.filter(isBound).length).toBeGreaterThan(20);
  });

  for (const endpoint of guarded) {
    it(`401 ${endpoint.method} ${endpoint.path} before it looks at the body`, async ({ skip }) => {
      if (!isBound(endpoint)) skip();
      for (const { who, headers } of strangers) {
        const answer = await app.app.inject({
          method: endpoint.method,
          url: endpoint.path.replace(/\{\w+\}/g, () => newId()),
          headers,
          ...(endpoint.body ? { payload: { nonsense: true } } : {}),
        });
        expect(answer.statusCode, who).toBe(401);
        expect(answer.json()).toMatchObject({ code: 'unauthenticated' });
      }
    });
  }
});
