import type { ExecutionToken, Workflow } from '@millrace/contracts';
import { shareTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let app: TestApp;
let owner: TestUser;
let collaborator: TestUser;
let url: string;
beforeAll(async () => {
  app = await shareTestApp();
  [owner, collaborator] = [await app.user(), await app.user()];
  const { id } = (await owner.call('POST', '/api/workflows', { name: 'Called' })).json<Workflow>();
  await owner.call('POST', `/api/workflows/${id}/shares`, { email: collaborator.email });
  url = `/api/workflows/${id}/execution-tokens`;
});
afterAll(() => app.close());

describe('§4.2 execution tokens', () => {
  it('§4.2: POST with ttl_seconds answers id, token, expires_at, created_at and revoked', async () => {
    const answer = await owner.call('POST', url, { ttl_seconds: 60 });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      id: expect.any(String),
      token: expect.any(String),
      expires_at: expect.any(String),
      created_at: expect.any(String),
      revoked: false,
    });
  });

  it('§4.2: GET answers the caller’s own tokens; a user sees only the tokens that the user created', async () => {
    const mine = (await owner.call('POST', url, { ttl_seconds: 60 })).json<ExecutionToken>();
    const theirs = (await collaborator.call('POST', url, { ttl_seconds: 60 })).json<ExecutionToken>();
    const seen = async (user: TestUser) =>
      (await user.call('GET', url)).json<ExecutionToken[]>().map((token) => token.id);
    expect(await seen(owner)).toContain(mine.id);
    expect(await seen(owner)).not.toContain(theirs.id);
    expect(await seen(collaborator)).toEqual([theirs.id]);
  });

  it('§4.2: DELETE takes no body, also from clients that name a type with everything they send', async () => {
    const token = (await owner.call('POST', url, { ttl_seconds: 600 })).json<{ id: string }>();
    const typed = { 'content-type': 'application/json' };
    const answer = await owner.call('DELETE', `${url}/${token.id}`, undefined, typed);
    expect(answer.statusCode).toBe(204);
    const missing = await owner.call('POST', url, undefined, typed);
    expect(missing.json()).toMatchObject({ code: 'invalid_input' });
  });

  it('§4.2: DELETE revokes, and only the creator can', async () => {
    const token = (await owner.call('POST', url, { ttl_seconds: 60 })).json<ExecutionToken>();
    expect((await collaborator.call('DELETE', `${url}/${token.id}`)).statusCode).toBe(404);
    expect((await owner.call('DELETE', `${url}/${token.id}`)).statusCode).toBe(204);
  });

  it('§4.2: all three are session-authenticated', async () => {
    const token = (await owner.call('POST', url, { ttl_seconds: 60 })).json<ExecutionToken>();
    for (const headers of [{}, { authorization: `Bearer ${token.token}` }]) {
      expect((await app.call('POST', url, { ttl_seconds: 60 }, headers)).statusCode).toBe(401);
      expect((await app.call('GET', url, undefined, headers)).statusCode).toBe(401);
      expect((await app.call('DELETE', `${url}/${token.id}`, undefined, headers)).statusCode).toBe(401);
    }
  });
});
