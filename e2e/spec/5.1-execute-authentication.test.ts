import { createWorkflow, ECHO, executeUrl, type TestUser, useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const owner = await app.user();
const stranger = await app.user();

const KEY = { auth_header_key: 'X-Workflow-Key', auth_header_value: 'open sesame' };

async function tokenFor(id: string, user = owner): Promise<string> {
  const made = await user.call('POST', `/api/workflows/${id}/execution-tokens`, { ttl_seconds: 3600 });
  return made.json<{ token: string }>().token;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

for (const [name, rest] of [
  ['execute', ''],
  ['stream', '/stream'],
] as const) {
  const call = (id: string, user: Pick<TestUser, 'call'>, headers: Record<string, string> = {}) =>
    user.call('POST', executeUrl(id, rest), { text: 'hi' }, headers);
  const status = async (...given: Parameters<typeof call>) => (await call(...given)).statusCode;

  describe(`§5.1 authentication of ${name}`, () => {
    it('§5.1 anonymous: anyone can call', async () => {
      const id = await createWorkflow(owner, ECHO);
      expect(await status(id, app)).toBe(200);
      expect(await status(id, stranger)).toBe(200);
      expect(await status(id, owner)).toBe(200);
      expect(await status(id, app, { authorization: 'Basic abc' })).toBe(200);
    });

    it('§5.1 jwt: a session of a user with access passes', async () => {
      const id = await createWorkflow(owner, ECHO, { auth_type: 'jwt' });
      expect(await status(id, owner)).toBe(200);
      expect(await status(id, app, { cookie: `access_token=${owner.access_token}` })).toBe(200);
    });

    it('§5.1 jwt, §4.1 rule 5: missing and invalid credentials get 401 with a challenge', async () => {
      const id = await createWorkflow(owner, ECHO, { auth_type: 'jwt' });
      const answer = await call(id, app);
      expect(answer.statusCode).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      for (const authorization of ['Bearer', 'Bearer x', 'Bearer a.b.c', `Basic ${owner.access_token}`])
        expect(await status(id, app, { authorization })).toBe(401);
    });

    it('§5.1 jwt: a signed-in user without access finds nothing', async () => {
      const id = await createWorkflow(owner, ECHO, { auth_type: 'jwt' });
      expect(await status(id, stranger)).toBe(404);
    });

    it('§5.1 jwt, §5.2 rule 2, §1: an execution token of this workflow passes, one of another does not', async () => {
      const id = await createWorkflow(owner, ECHO, { auth_type: 'jwt' });
      const other = await createWorkflow(owner, ECHO, { auth_type: 'jwt' });
      const token = await tokenFor(id);
      expect(await status(other, app, bearer(token))).toBe(401);
      expect(await status(id, app, bearer(token))).toBe(200);
      expect(await status(other, app, bearer(token))).toBe(401);
    });

    it('§5.1 jwt: access by a share counts, and ends with it', async () => {
      const id = await createWorkflow(owner, ECHO, { auth_type: 'jwt' });
      const guest = await app.user();
      expect(await status(id, guest)).toBe(404);
      const shared = await owner.call('POST', `/api/workflows/${id}/shares`, { email: guest.email });
      expect(shared.statusCode).toBe(200);
      expect(await status(id, guest)).toBe(200);
      await owner.call('DELETE', `/api/workflows/${id}/shares/${guest.id}`);
      expect(await status(id, guest)).toBe(404);
    });

    it('§5.1 header_auth: the header must exactly equal the value', async () => {
      const id = await createWorkflow(owner, ECHO, { auth_type: 'header_auth', ...KEY });
      expect(await status(id, app, { 'x-workflow-key': 'open sesame' })).toBe(200);
      for (const value of ['Open sesame', 'open sesame!', 'open', ''])
        expect(await status(id, app, { 'x-workflow-key': value })).toBe(401);
      expect(await status(id, app)).toBe(401);
    });

    it('§5.1 header_auth: a user with access may call without the header, others may not', async () => {
      const id = await createWorkflow(owner, ECHO, { auth_type: 'header_auth', ...KEY });
      expect(await status(id, owner)).toBe(200);
      expect(await status(id, stranger)).toBe(401);
    });

    it('§5.1 header_auth: without key or value no header is accepted', async () => {
      const id = await createWorkflow(owner, ECHO, {
        auth_type: 'header_auth',
        auth_header_key: 'X-Workflow-Key',
      });
      expect(await status(id, app, { 'x-workflow-key': '' })).toBe(401);
      expect(await status(id, app, { 'x-workflow-key': 'undefined' })).toBe(401);
    });

    it('§5.1 header_auth: a value beyond ASCII passes in UTF-8, as curl sends it, and in Latin-1', async () => {
      const value = 'schlüssel';
      const id = await createWorkflow(owner, ECHO, {
        auth_type: 'header_auth',
        ...KEY,
        auth_header_value: value,
      });
      const asUtf8 = Buffer.from(value, 'utf8').toString('latin1');
      expect(await status(id, app, { 'x-workflow-key': asUtf8 })).toBe(200);
      expect(await status(id, app, { 'x-workflow-key': value })).toBe(200);
      expect(await status(id, app, { 'x-workflow-key': 'schlussel' })).toBe(401);
    });

    it('§5.1 header_auth: spaces round the value, which no client can send, are not part of it', async () => {
      const id = await createWorkflow(owner, ECHO, {
        auth_type: 'header_auth',
        ...KEY,
        auth_header_value: ' open sesame\t',
      });
      expect(await status(id, app, { 'x-workflow-key': 'open sesame' })).toBe(200);
    });

    it('§5.1 header_auth: an execution token does not stand in for the header', async () => {
      const id = await createWorkflow(owner, ECHO, { auth_type: 'header_auth', ...KEY });
      expect(await status(id, app, bearer(await tokenFor(id)))).toBe(401);
    });

    it('§5.1: it is checked before anything of the body is looked at', async () => {
      const id = await createWorkflow(owner, ECHO, { auth_type: 'jwt' });
      const answer = await app.app.inject({
        method: 'POST',
        url: executeUrl(id, rest),
        headers: { 'content-type': 'application/json' },
        payload: '{broken',
      });
      expect(answer.statusCode).toBe(401);
    });
  });
}

describe('§5.2 rule 6 attribution of runs', () => {
  const fetchActorId = async (id: string): Promise<unknown> => {
    const { rows } = await app.services.database.sql.query<{ actor_id: string }>({
      text: 'SELECT actor_id FROM runs WHERE workflow_id = $1 ORDER BY id DESC LIMIT 1',
      values: [id],
    });
    return rows[0]?.actor_id;
  };

  it('§5.2 rule 6: only an anonymous call runs as the workflow owner', async () => {
    const id = await createWorkflow(owner, ECHO);
    await app.call('POST', executeUrl(id), {});
    expect(await fetchActorId(id)).toBe(owner.id);
    await stranger.call('POST', executeUrl(id), {});
    expect(await fetchActorId(id)).toBe(stranger.id);
  });

  it('§5.2 rule 6: a token run is attributed to its creator', async () => {
    const id = await createWorkflow(owner, ECHO, { auth_type: 'jwt' });
    const guest = await app.user();
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: guest.email });
    const token = await tokenFor(id, guest);
    await app.call('POST', executeUrl(id), {}, bearer(token));
    expect(await fetchActorId(id)).toBe(guest.id);
  });
});
