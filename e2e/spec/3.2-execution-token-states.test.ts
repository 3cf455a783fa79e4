import type { ExecutionToken, Workflow } from '@millrace/contracts';
import { createTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let app: TestApp;
let user: TestUser;
let workflow: Workflow;
let url: string;
beforeEach(async () => {
  app = await createTestApp();
  user = await app.user();
  const nodes = [{ id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } }];
  workflow = (await user.call('POST', '/api/workflows', { name: 'Called', nodes })).json<Workflow>();
  url = `/api/workflows/${workflow.id}/execution-tokens`;
});
afterEach(() => app.close());

const create = async (ttl_seconds = 3600) =>
  (await user.call('POST', url, { ttl_seconds })).json<ExecutionToken>();
const listed = async (id: string) =>
  (await user.call('GET', url)).json<ExecutionToken[]>().find((item) => item.id === id);
const executeStatus = async ({ token }: ExecutionToken) =>
  (await app.call('POST', `/api/workflows/${workflow.id}/execute`, {}, { authorization: `Bearer ${token}` }))
    .statusCode;

describe('§3.2 execution token states', () => {
  it('§3.2: DELETE on an active token revokes it; later requests with it return 401', async () => {
    const token = await create();
    expect(await executeStatus(token)).toBe(200);
    expect((await user.call('DELETE', `${url}/${token.id}`)).statusCode).toBe(204);
    expect(await executeStatus(token)).toBe(401);
  });

  it('§3.2: a token is refused once its expiry time has passed', async () => {
    const token = await create(60);
    app.clock.now += 58_000;
    expect(await executeStatus(token)).toBe(200);
    app.clock.now += 4_000;
    expect(await executeStatus(token)).toBe(401);
  });

  it('§3.2: expired and revoked tokens stay in the list', async () => {
    const [expired, revoked] = [await create(60), await create()];
    await user.call('DELETE', `${url}/${revoked.id}`);
    app.clock.now += 120_000;
    expect(await listed(expired.id)).toMatchObject({ revoked: false, expires_at: expired.expires_at });
    expect(await listed(revoked.id)).toMatchObject({ revoked: true });
  });

  it('§3.2: there is no un-revoke', async () => {
    const token = await create();
    await user.call('DELETE', `${url}/${token.id}`);
    for (const method of ['PUT', 'PATCH', 'POST']) {
      const answer = await user.call(method, `${url}/${token.id}`, { revoked: false });
      expect(answer.statusCode).toBeGreaterThanOrEqual(404);
    }
    await user.call('DELETE', `${url}/${token.id}`);
    expect(await listed(token.id)).toMatchObject({ revoked: true });
    expect(await executeStatus(token)).toBe(401);
  });
});
