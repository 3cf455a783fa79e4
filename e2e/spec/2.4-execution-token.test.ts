import type { ExecutionToken, Workflow } from '@millrace/contracts';
import { shareTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let app: TestApp;
let user: TestUser;
let workflow: Workflow;
let token: ExecutionToken;
beforeAll(async () => {
  app = await shareTestApp();
  user = await app.user();
  workflow = (await user.call('POST', '/api/workflows', { name: 'Called' })).json<Workflow>();
  const url = `/api/workflows/${workflow.id}/execution-tokens`;
  token = (await user.call('POST', url, { ttl_seconds: 3600 })).json<ExecutionToken>();
});
afterAll(() => app.close());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const part = (index: number) =>
  JSON.parse(Buffer.from(token.token.split('.')[index] ?? '', 'base64url').toString());

describe('§2.4 execution token', () => {
  it('§2.4: id is a uuid and revoked a boolean', () => {
    expect(token.id).toMatch(UUID);
    expect(token.revoked).toBe(false);
  });

  it('§2.4: expires_at and created_at are ISO 8601 timestamps', () => {
    for (const text of [token.expires_at, token.created_at]) {
      expect(new Date(text).toISOString()).toBe(text);
    }
  });

  it('§2.4: token is a JWT', () => {
    expect(token.token.split('.')).toHaveLength(3);
    expect(part(0)).toMatchObject({ alg: 'HS256' });
  });

  it('§2.4: sub is the id of the user who created the token', () => {
    expect(part(1).sub).toBe(user.id);
  });

  it('§2.4: wid is the workflow', () => {
    expect(part(1).wid).toBe(workflow.id);
  });

  it('§2.4: scope is workflow:execute', () => {
    expect(part(1).scope).toBe('workflow:execute');
  });

  it('§2.4: jti is unique', async () => {
    const url = `/api/workflows/${workflow.id}/execution-tokens`;
    for (let n = 0; n < 5; n++) await user.call('POST', url, { ttl_seconds: 3600 });
    const tokens = (await user.call('GET', url)).json<ExecutionToken[]>();
    const ids = tokens.map(
      (item) => JSON.parse(Buffer.from(item.token.split('.')[1] ?? '', 'base64url').toString()).jti as string,
    );
    expect(new Set(ids).size).toBe(6);
    for (const id of ids) expect(id).toMatch(UUID);
  });

  it('§2.4: exp is the expiry', () => {
    expect(part(1).exp * 1000).toBe(Date.parse(token.expires_at));
  });
});
