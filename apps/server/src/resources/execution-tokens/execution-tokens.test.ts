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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const nodes = [{ id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } }];
const newWorkflow = async () =>
  (await owner.call('POST', '/api/workflows', { name: 'Called', nodes })).json<Workflow>();
const create = async (user: TestUser, ttl_seconds = 3600) =>
  (await user.call('POST', url, { ttl_seconds })).json<ExecutionToken>();
const verify = (token: string, id = workflow.id) => verifyExecutionToken(app.services, token, id);
const decodePart = ({ token }: ExecutionToken, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());
const decodeClaims = (token: ExecutionToken) => decodePart(token, 1);
const execute = (authorization: string) =>
  app.call('POST', `/api/workflows/${workflow.id}/execute`, {}, { authorization });
const executeStatus = async (token: string) => (await execute(`Bearer ${token}`)).statusCode;
const revoke = (id: string) => owner.call('DELETE', `${url}/${id}`);

beforeAll(async () => {
  workflow = await newWorkflow();
  url = `/api/workflows/${workflow.id}/execution-tokens`;
  await shareWith(app, workflow.id, friend);
});

describe('POST /api/workflows/{id}/execution-tokens', () => {
  it('§4.2, §2.4: 200 with the five fields and a JWT of exactly five claims', async () => {
    const answer = await owner.call('POST', url, { ttl_seconds: 60 });
    expect(answer.statusCode).toBe(200);
    const token = answer.json<ExecutionToken>();
    expect(Object.keys(token).sort()).toEqual(['created_at', 'expires_at', 'id', 'revoked', 'token']);
    expect(token.id).toMatch(UUID);
    expect(token.revoked).toBe(false);
    for (const text of [token.expires_at, token.created_at]) {
      expect(new Date(text).toISOString()).toBe(text);
    }
    expect(token.token.split('.')).toHaveLength(3);
    expect(decodePart(token, 0)).toMatchObject({ alg: 'HS256' });
    expect(decodeClaims(token)).toEqual({
      sub: owner.id,
      wid: workflow.id,
      scope: 'workflow:execute',
      jti: expect.stringMatching(UUID),
      exp: Date.parse(token.expires_at) / 1000,
    });
    const lifetime = Date.parse(token.expires_at) - Date.parse(token.created_at);
    expect(lifetime).toBeGreaterThanOrEqual(60_000);
    expect(lifetime).toBeLessThan(61_000);
  });

  it('§2.4: jti is unique', async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 6; n++) ids.add(decodeClaims(await create(owner)).jti as string);
    expect(ids.size).toBe(6);
  });

  it('§5.2 rule 4, §8.3: 200 for 60 seconds and for 10 years, 422 outside and for what is no whole number', async () => {
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

  it('§2.4: 200 for a collaborator, whose id the token carries', async () => {
    expect(decodeClaims(await create(friend)).sub).toBe(friend.id);
  });

  it('422 for no body, also when its type is named', async () => {
    const answer = await owner.call('POST', url, undefined, { 'content-type': 'application/json' });
    expect(answer.json()).toMatchObject({ code: 'invalid_input' });
  });
});

describe('GET /api/workflows/{id}/execution-tokens', () => {
  it("§4.2: 200 lists only the caller's own tokens, newest first", async () => {
    const mine = await newWorkflow();
    const at = `/api/workflows/${mine.id}/execution-tokens`;
    await shareWith(app, mine.id, friend);
    const first = (await owner.call('POST', at, { ttl_seconds: 60 })).json<ExecutionToken>();
    app.clock.now += 10;
    const second = (await owner.call('POST', at, { ttl_seconds: 60 })).json<ExecutionToken>();
    const theirs = (await friend.call('POST', at, { ttl_seconds: 60 })).json<ExecutionToken>();
    expect((await owner.call('GET', at)).json()).toEqual([second, first]);
    expect((await friend.call('GET', at)).json()).toEqual([theirs]);
  });
});

describe('DELETE /api/workflows/{id}/execution-tokens/{token_id}', () => {
  it('§4.2, §3.2: 204 revokes for good; revoked and expired tokens stay in the list', async () => {
    const [token, expired] = [await create(owner), await create(owner, 60)];
    const listed = async (id: string) =>
      (await owner.call('GET', url)).json<ExecutionToken[]>().find((item) => item.id === id);
    expect((await revoke(token.id)).statusCode).toBe(204);
    for (const method of ['PUT', 'PATCH', 'POST']) {
      const answer = await owner.call(method, `${url}/${token.id}`, { revoked: false });
      expect(answer.statusCode).toBeGreaterThanOrEqual(404);
    }
    expect((await revoke(token.id)).statusCode).toBe(204);
    expect(await listed(token.id)).toMatchObject({ revoked: true });
    expect(await executeStatus(token.token)).toBe(401);
    app.clock.now += 120_000;
    expect(await listed(expired.id)).toEqual(expired);
    expect(await listed(token.id)).toMatchObject({ revoked: true });
  });

  it('§4.2: 204 for clients that name a type with everything they send', async () => {
    const { id } = await create(owner);
    const typed = { 'content-type': 'application/json' };
    expect((await owner.call('DELETE', `${url}/${id}`, undefined, typed)).statusCode).toBe(204);
  });

  it("§4.2: 404 for another person's token, which stays in force, and for a token of another workflow", async () => {
    const token = await create(friend);
    expect((await owner.call('DELETE', `${url}/${token.id}`)).statusCode).toBe(404);
    expect((await stranger.call('DELETE', `${url}/${token.id}`)).statusCode).toBe(404);
    const { id } = await create(owner);
    expect((await friend.call('DELETE', `${url}/${id}`)).statusCode).toBe(404);
    const other = await newWorkflow();
    const elsewhere = `/api/workflows/${other.id}/execution-tokens/${token.id}`;
    expect((await friend.call('DELETE', elsewhere)).statusCode).toBe(404);
    expect(await verify(token.token)).toMatchObject({ user_id: friend.id });
  });

  it('422 for an id that is no uuid', async () => {
    expect((await owner.call('DELETE', `${url}/x`)).statusCode).toBe(422);
  });
});

it('§4.2: all three endpoints are for sessions, not for the execution token of the workflow itself', async () => {
  const { id, token } = await create(owner);
  for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
    expect((await app.call('POST', url, { ttl_seconds: 60 }, headers)).statusCode).toBe(401);
    expect((await app.call('GET', url, undefined, headers)).statusCode).toBe(401);
    expect((await app.call('DELETE', `${url}/${id}`, undefined, headers)).statusCode).toBe(401);
  }
});

describe('an execution token', () => {
  it('§5.2 rule 1: is sent as Authorization: Bearer', async () => {
    const { token } = await create(owner);
    expect((await execute(`Bearer ${token}`)).statusCode).toBe(200);
    expect((await execute(token)).statusCode).toBe(401);
    expect((await execute(`Basic ${token}`)).statusCode).toBe(401);
  });

  it('§5.2 rule 2, §7: with a changed signature, payload or header is refused', async () => {
    const { token } = await create(owner);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const longer = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString('base64url');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const forged of [
      `${header}.${longer}.${signature}`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -3)}AAA`,
    ]) {
      expect(await executeStatus(forged)).toBe(401);
    }
  });

  it('§5.2 rule 2, §3.2, §7: is checked on every request, so a revocation is felt by the next one', async () => {
    const { id, token } = await create(owner);
    expect(await executeStatus(token)).toBe(200);
    await revoke(id);
    expect(await executeStatus(token)).toBe(401);
  });

  it('§5.2 rule 2, §3.2, §7: is refused once its expiry time has passed, also when it was just accepted', async () => {
    const { token } = await create(owner, 60);
    app.clock.now += 58_000;
    expect(await executeStatus(token)).toBe(200);
    app.clock.now += 3_000;
    expect(await executeStatus(token)).toBe(401);
  });

  it('§5.2 rule 3: though signed with the same secret, it opens no session and is no refresh token', async () => {
    const { token } = await create(owner);
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ['/api/auth/me', '/api/workflows', `/api/workflows/${workflow.id}`]) {
      expect((await app.call('GET', path, undefined, headers)).statusCode).toBe(401);
    }
    const cookie = { cookie: `access_token=${token}` };
    expect((await app.call('GET', '/api/auth/me', undefined, cookie)).statusCode).toBe(401);
    expect((await app.call('POST', '/api/auth/refresh', { refresh_token: token })).statusCode).toBe(401);
  });

  it('§5.2 rule 3: a refresh token executes nothing', async () => {
    expect(await executeStatus(owner.refresh_token)).toBe(401);
  });

  it("§5.2 rule 5: revoking one does not affect the issuing user's session", async () => {
    const { id } = await create(owner);
    await revoke(id);
    expect((await owner.call('GET', '/api/auth/me')).statusCode).toBe(200);
    const { refresh_token } = owner;
    expect((await app.call('POST', '/api/auth/refresh', { refresh_token })).statusCode).toBe(200);
  });
});

describe('verifyExecutionToken', () => {
  it('names the maker of a token of the workflow', async () => {
    const { token } = await create(friend);
    expect(await verify(token)).toMatchObject({ user_id: friend.id });
    expect(await verify(token)).toMatchObject({ user_id: friend.id });
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
});
