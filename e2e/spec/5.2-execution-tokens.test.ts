import type { ExecutionToken, Workflow } from '@millrace/contracts';
import { shareTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let app: TestApp;
let user: TestUser;
let workflow: Workflow;
beforeAll(async () => {
  app = await shareTestApp();
  user = await app.user();
  workflow = await create();
});
afterAll(() => app.close());

const nodes = [{ id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } }];
const create = async () =>
  (await user.call('POST', '/api/workflows', { name: 'Called', nodes })).json<Workflow>();
const tokensUrl = () => `/api/workflows/${workflow.id}/execution-tokens`;
const issue = async (ttl_seconds = 3600) =>
  (await user.call('POST', tokensUrl(), { ttl_seconds })).json<ExecutionToken>();
const execute = (authorization: string, id = workflow.id) =>
  app.call('POST', `/api/workflows/${id}/execute`, {}, { authorization });

describe('§5.2 execution tokens', () => {
  it('§5.2 rule 1: is sent as Authorization: Bearer', async () => {
    const { token } = await issue();
    expect((await execute(`Bearer ${token}`)).statusCode).toBe(200);
    expect((await execute(token)).statusCode).toBe(401);
    expect((await execute(`Basic ${token}`)).statusCode).toBe(401);
  });

  it('§5.2 rule 2: a changed signature, payload or header is refused', async () => {
    const { token } = await issue();
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
      expect((await execute(`Bearer ${forged}`)).statusCode).toBe(401);
    }
  });

  it('§5.2 rule 2: wid must be the target workflow', async () => {
    const other = await create();
    const { token } = await issue();
    expect((await execute(`Bearer ${token}`, other.id)).statusCode).toBe(401);
  });

  it('§5.2 rule 2: is checked on every request, so a revocation is felt by the next one', async () => {
    const { id, token } = await issue();
    expect((await execute(`Bearer ${token}`)).statusCode).toBe(200);
    await user.call('DELETE', `${tokensUrl()}/${id}`);
    expect((await execute(`Bearer ${token}`)).statusCode).toBe(401);
  });

  it('§5.2 rule 3: though signed with the same secret, it opens no session and is no refresh token', async () => {
    const { token } = await issue();
    const headers = { authorization: `Bearer ${token}` };
    for (const url of ['/api/auth/me', '/api/workflows', `/api/workflows/${workflow.id}`]) {
      expect((await app.call('GET', url, undefined, headers)).statusCode).toBe(401);
    }
    const cookie = { cookie: `access_token=${token}` };
    expect((await app.call('GET', '/api/auth/me', undefined, cookie)).statusCode).toBe(401);
    expect((await app.call('POST', '/api/auth/refresh', { refresh_token: token })).statusCode).toBe(401);
  });

  it('§5.2 rule 3: a refresh token executes nothing', async () => {
    expect((await execute(`Bearer ${user.refresh_token}`)).statusCode).toBe(401);
  });

  it('§5.2 rule 4: lives 60 seconds at least and 10 years at most', async () => {
    const status = async (ttl_seconds: number) =>
      (await user.call('POST', tokensUrl(), { ttl_seconds })).statusCode;
    expect(await status(59)).toBe(422);
    expect(await status(60)).toBe(200);
    expect(await status(315_360_000)).toBe(200);
    expect(await status(315_360_001)).toBe(422);
  });

  it("§5.2 rule 5: revoking one does not affect the issuing user's session", async () => {
    const { id } = await issue();
    await user.call('DELETE', `${tokensUrl()}/${id}`);
    expect((await user.call('GET', '/api/auth/me')).statusCode).toBe(200);
    const refreshed = await app.call('POST', '/api/auth/refresh', { refresh_token: user.refresh_token });
    expect(refreshed.statusCode).toBe(200);
  });
});
