import type { ExecutionToken, Workflow } from '@millrace/contracts';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { users, workflowShares } from '../../database/schema/index.ts';
import { createTestApp, type TestApp, type TestUser } from '../../testing/index.ts';
import { shareWith } from '../workflows/testing/sharing.ts';
import { verifyExecutionToken } from './verify.ts';

let app: TestApp;
let owner: TestUser;
let friend: TestUser;
let stranger: TestUser;
let workflow: Workflow;
let url: string;
beforeAll(async () => {
  app = await createTestApp();
  [owner, friend, stranger] = [await app.user(), await app.user(), await app.user()];
});
afterAll(() => app.close());

const newWorkflow = async () =>
  (await owner.call('POST', '/api/workflows', { name: 'Called' })).json<Workflow>();
const create = async (user: TestUser, ttl_seconds = 3600) =>
  (await user.call('POST', url, { ttl_seconds })).json<ExecutionToken>();
const verify = (token: string, id = workflow.id) => verifyExecutionToken(app.services, token, id);
const decodeClaims = ({ token }: ExecutionToken) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

beforeAll(async () => {
  workflow = await newWorkflow();
  url = `/api/workflows/${workflow.id}/execution-tokens`;
  await shareWith(app, workflow.id, friend);
});

describe('POST /api/workflows/{id}/execution-tokens', () => {
  it('200 with the five fields and a token of exactly five claims', async () => {
    const answer = await owner.call('POST', url, { ttl_seconds: 60 });
    expect(answer.statusCode).toBe(200);
    const token = answer.json<ExecutionToken>();
    expect(Object.keys(token).sort()).toEqual(['created_at', 'expires_at', 'id', 'revoked', 'token']);
    expect(token.revoked).toBe(false);
    const claims = decodeClaims(token);
    expect(claims).toEqual({
      sub: owner.id,
      wid: workflow.id,
      scope: 'workflow:execute',
      jti: expect.any(String),
      exp: Date.parse(token.expires_at) / 1000,
    });
    const lifetime = Date.parse(token.expires_at) - Date.parse(token.created_at);
    expect(lifetime).toBeGreaterThanOrEqual(60_000);
    expect(lifetime).toBeLessThan(61_000);
  });

  it('200 for the shortest and the longest lifetime, 422 outside and for what is no whole number', async () => {
    for (const ttl_seconds of [60, 315_360_000]) {
      expect((await owner.call('POST', url, { ttl_seconds })).statusCode).toBe(200);
    }
    for (const ttl_seconds of [59, 315_360_001, 0, -1, 60.5, '60', null, [60], Number.MAX_VALUE]) {
      const answer = await owner.call('POST', url, { ttl_seconds });
      expect(answer.statusCode, `ttl ${String(ttl_seconds)}`).toBe(422);
      expect(answer.json().detail[0].loc).toEqual(['body', 'ttl_seconds']);
    }
    expect((await owner.call('POST', url, {})).statusCode).toBe(422);
  });

  it('200 for a collaborator, whose id the token carries', async () => {
    expect(decodeClaims(await create(friend)).sub).toBe(friend.id);
  });

  it('404 for a stranger, 401 for an anonymous caller and for an execution token', async () => {
    expect((await stranger.call('POST', url, { ttl_seconds: 60 })).statusCode).toBe(404);
    expect((await app.call('POST', url, { ttl_seconds: 60 })).statusCode).toBe(401);
    const { token } = await create(owner);
    const answer = await app.call('POST', url, { ttl_seconds: 60 }, { authorization: `Bearer ${token}` });
    expect(answer.statusCode).toBe(401);
  });
});

describe('GET /api/workflows/{id}/execution-tokens', () => {
  it("200 lists only the caller's own tokens, newest first", async () => {
    const mine = await newWorkflow();
    const at = `/api/workflows/${mine.id}/execution-tokens`;
    await shareWith(app, mine.id, friend);
    const first = (await owner.call('POST', at, { ttl_seconds: 60 })).json<ExecutionToken>();
    app.clock.now += 10;
    const second = (await owner.call('POST', at, { ttl_seconds: 60 })).json<ExecutionToken>();
    await friend.call('POST', at, { ttl_seconds: 60 });
    expect((await owner.call('GET', at)).json()).toEqual([second, first]);
    expect((await friend.call('GET', at)).json()).toHaveLength(1);
  });

  it('404 for a stranger, 401 for an anonymous caller', async () => {
    expect((await stranger.call('GET', url)).statusCode).toBe(404);
    expect((await app.call('GET', url)).statusCode).toBe(401);
  });
});

describe('DELETE /api/workflows/{id}/execution-tokens/{token_id}', () => {
  it('204 revokes for good; the token stays in the list', async () => {
    const token = await create(owner);
    expect((await owner.call('DELETE', `${url}/${token.id}`)).statusCode).toBe(204);
    expect((await owner.call('DELETE', `${url}/${token.id}`)).statusCode).toBe(204);
    const listed = (await owner.call('GET', url)).json<ExecutionToken[]>();
    expect(listed.find((item) => item.id === token.id)).toMatchObject({ revoked: true });
  });

  it("404 for another person's token, which stays in force, and for a token of another workflow", async () => {
    const token = await create(friend);
    expect((await owner.call('DELETE', `${url}/${token.id}`)).statusCode).toBe(404);
    expect((await stranger.call('DELETE', `${url}/${token.id}`)).statusCode).toBe(404);
    const other = await newWorkflow();
    const elsewhere = `/api/workflows/${other.id}/execution-tokens/${token.id}`;
    expect((await friend.call('DELETE', elsewhere)).statusCode).toBe(404);
    expect(await verify(token.token)).toMatchObject({ user_id: friend.id });
  });

  it('422 for an id that is no uuid, 401 for an anonymous caller', async () => {
    expect((await owner.call('DELETE', `${url}/x`)).statusCode).toBe(422);
    const token = await create(owner);
    expect((await app.call('DELETE', `${url}/${token.id}`)).statusCode).toBe(401);
  });
});

describe('verifyExecutionToken', () => {
  it('names the maker of a token of the workflow', async () => {
    const { token } = await create(friend);
    expect(await verify(token)).toMatchObject({ user_id: friend.id });
    expect(await verify(token)).toMatchObject({ user_id: friend.id });
  });

  it('refuses the token for every other workflow', async () => {
    const { token } = await create(owner);
    const other = await newWorkflow();
    expect(await verify(token, other.id)).toBeUndefined();
    await verify(token);
    expect(await verify(token, other.id)).toBeUndefined();
  });

  it('feels a revocation at once, also for a token that it has just accepted', async () => {
    const { id, token } = await create(owner);
    expect(await verify(token)).toBeDefined();
    await owner.call('DELETE', `${url}/${id}`);
    expect(await verify(token)).toBeUndefined();
  });

  it('refuses an expired token, also one that it has just accepted', async () => {
    const own = await createTestApp();
    const user = await own.user();
    const { id } = (await user.call('POST', '/api/workflows', { name: 'X' })).json<Workflow>();
    const at = `/api/workflows/${id}/execution-tokens`;
    const { token } = (await user.call('POST', at, { ttl_seconds: 60 })).json<ExecutionToken>();
    own.clock.now += 58_000;
    expect(await verifyExecutionToken(own.services, token, id)).toBeDefined();
    own.clock.now += 3_000;
    expect(await verifyExecutionToken(own.services, token, id)).toBeUndefined();
    await own.close();
  });

  it('refuses session tokens and forgeries', async () => {
    const { token } = await create(owner);
    for (const given of [owner.access_token, owner.refresh_token, `${token}x`, '', 'x']) {
      expect(await verify(given)).toBeUndefined();
    }
  });

  it('refuses the token of a user the workflow is no longer shared with', async () => {
    const { token } = await create(friend);
    expect(await verify(token)).toBeDefined();
    await app.services.database.db
      .delete(workflowShares)
      .where(and(eq(workflowShares.workflow_id, workflow.id), eq(workflowShares.user_id, friend.id)));
    app.services.broadcast.publish('access_changed', `workflow:${workflow.id}`);
    expect(await verify(token)).toBeUndefined();
    await shareWith(app, workflow.id, friend);
    expect(await verify(token)).toBeDefined();
  });

  it('refuses the token of a deleted account or workflow', async () => {
    const [gone, theirs] = [await app.user(), await newWorkflow()];
    await shareWith(app, theirs.id, gone);
    const at = `/api/workflows/${theirs.id}/execution-tokens`;
    const { token } = (await gone.call('POST', at, { ttl_seconds: 60 })).json<ExecutionToken>();
    const { token: kept } = (await owner.call('POST', at, { ttl_seconds: 60 })).json<ExecutionToken>();
    expect(await verify(token, theirs.id)).toBeDefined();
    await app.services.database.db.delete(users).where(eq(users.id, gone.id));
    app.services.broadcast.publish('access_changed', `user:${gone.id}`);
    expect(await verify(token, theirs.id)).toBeUndefined();
    expect(await verify(kept, theirs.id)).toBeDefined();
    await owner.call('DELETE', `/api/workflows/${theirs.id}`);
    expect(await verify(kept, theirs.id)).toBeUndefined();
  });

  it('§5.2 rule 5: revoking a token does not touch the session', async () => {
    const { id } = await create(owner);
    await owner.call('DELETE', `${url}/${id}`);
    expect((await owner.call('GET', '/api/auth/me')).statusCode).toBe(200);
  });
});
