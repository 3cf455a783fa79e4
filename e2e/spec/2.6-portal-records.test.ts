import { createPortal, ECHO, useOwnTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useOwnTestApp();
const owner = await app.user();

const HOUR_MS = 3_600_000;

async function portal(): Promise<{ url: string; users: string }> {
  const { url, owner_url } = await createPortal(owner, ECHO);
  return { url, users: `${owner_url}/users` };
}
const login = (url: string, password: string) =>
  app.call('POST', `${url}/login`, { username: 'ada', password });
const requiresAuth = async (url: string) =>
  (await app.call('GET', `${url}/info`)).json<{ requires_auth: boolean }>().requires_auth;

describe('§2.6 portal records', () => {
  it('§2.6 WorkflowPortalUser: a username and password are for one workflow', async () => {
    const [one, other] = [await portal(), await portal()];
    for (const [{ users }, password] of [
      [one, 'first-password'],
      [other, 'other-password'],
    ] as const)
      expect((await owner.call('POST', users, { username: 'ada', password })).statusCode).toBe(200);
    expect((await login(one.url, 'first-password')).statusCode).toBe(200);
    expect((await login(one.url, 'other-password')).statusCode).toBe(401);
    expect((await login(other.url, 'other-password')).statusCode).toBe(200);
  });

  it('§2.6 WorkflowPortalUser: there are users when, and only when, portal auth is on', async () => {
    const { url, users } = await portal();
    expect((await owner.call('GET', users)).json()).toEqual([]);
    expect(await requiresAuth(url)).toBe(false);
    const made = await owner.call('POST', users, { username: 'ada', password: 'first-password' });
    expect(await requiresAuth(url)).toBe(true);
    await owner.call('DELETE', `${users}/${made.json<{ id: string }>().id}`);
    expect(await requiresAuth(url)).toBe(false);
  });

  it('§2.6 WorkflowPortalUser: the password is stored hashed and shown nowhere', async () => {
    const { users } = await portal();
    await owner.call('POST', users, { username: 'ada', password: 'a password to hide' });
    const { rows } = await app.services.database.sql.query<{ row: string }>({
      text: 'SELECT u::text AS row FROM portal_users u',
    });
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('a password to hide');
    expect((await owner.call('GET', users)).body).not.toContain('password');
  });

  it('§2.6 §8.3 PortalSession: the session token works for 168 hours and no longer', async () => {
    const { url, users } = await portal();
    await owner.call('POST', users, { username: 'ada', password: 'first-password' });
    const { session_token } = (await login(url, 'first-password')).json<{ session_token: string }>();
    const status = async () =>
      (
        await app.call(
          'POST',
          `${url}/execute`,
          { inputs: { text: 'x' } },
          { authorization: `Bearer ${session_token}` },
        )
      ).statusCode;
    const started = app.clock.now;
    app.clock.now = started + 168 * HOUR_MS - 60_000;
    expect(await status()).toBe(200);
    app.clock.now = started + 168 * HOUR_MS + 60_000;
    expect(await status()).toBe(401);
    app.clock.now = started;
  });
});
