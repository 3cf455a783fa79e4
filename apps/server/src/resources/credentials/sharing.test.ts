import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shareTestApp, type TestApp, type TestUser } from '../../testing/index.ts';

let app: TestApp;
let owner: TestUser;
let friend: TestUser;
let url: string;
beforeAll(async () => {
  app = await shareTestApp();
  [owner, friend] = [await app.user(), await app.user()];
  const body = { name: 'key', type: 'openai', config: { api_key: 'sk-0123456789' } };
  url = `/api/credentials/${(await owner.call('POST', '/api/credentials', body)).json<{ id: string }>().id}`;
});
afterAll(() => app.close());

describe('§4.7 credential sharing', () => {
  it('§4.7, §2.5: POST shares takes an e-mail address; the user is looked up and added', async () => {
    const answer = await owner.call('POST', `${url}/shares`, { email: friend.email.toUpperCase() });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ user_id: friend.id, email: friend.email });
    expect((await friend.call('GET', url)).json()).toMatchObject({ is_shared: true, shared_by: owner.email });
  });

  it('§2.5: a share is unique per pair; asking again answers the existing one', async () => {
    const [first, second] = [
      await owner.call('POST', `${url}/shares`, { email: friend.email }),
      await owner.call('POST', `${url}/shares`, { email: friend.email }),
    ];
    expect(second.json()).toEqual(first.json());
    expect((await owner.call('GET', `${url}/shares`)).json()).toHaveLength(1);
  });

  it('§4.7: unknown addresses are not found, the owner needs no share', async () => {
    expect((await owner.call('POST', `${url}/shares`, { email: 'unknown@example.org' })).statusCode).toBe(
      404,
    );
    expect((await owner.call('POST', `${url}/shares`, { email: owner.email })).statusCode).toBe(400);
  });

  it('§4.7: DELETE shares/{user_id} ends it at once', async () => {
    await owner.call('POST', `${url}/shares`, { email: friend.email });
    expect((await owner.call('DELETE', `${url}/shares/${friend.id}`)).statusCode).toBe(204);
    expect((await friend.call('GET', url)).statusCode).toBe(404);
  });

  it('those it is shared with may leave, once, and the owner finds it in the audit log', async () => {
    await owner.call('POST', `${url}/shares`, { email: friend.email });
    expect((await friend.call('DELETE', `${url}/shares/me`)).statusCode).toBe(204);
    expect((await friend.call('GET', url)).statusCode).toBe(404);
    expect((await owner.call('GET', `${url}/shares`)).json()).toEqual([]);
    expect((await friend.call('DELETE', `${url}/shares/me`)).statusCode).toBe(404);
    const { items } = (await owner.call('GET', '/api/audit?action=credential.left')).json<{
      items: object[];
    }>();
    expect(items).toMatchObject([{ object_name: 'key', details: { user_id: friend.id } }]);
  });

  it('the owner and members of a team have no share of their own to leave', async () => {
    const team_id = (await owner.call('POST', '/api/teams', { name: 'U' })).json<{ id: string }>().id;
    await owner.call('POST', `/api/teams/${team_id}/members`, { email: friend.email });
    await owner.call('POST', `${url}/team-shares`, { team_id });
    for (const user of [owner, friend]) {
      const answer = await user.call('DELETE', `${url}/shares/me`);
      expect([answer.statusCode, answer.json()]).toMatchObject([
        403,
        { detail: 'The credential is not shared with you directly' },
      ]);
    }
    await owner.call('DELETE', `${url}/team-shares/${team_id}`);
  });

  it('§4.7: POST and DELETE team-shares by team_id', async () => {
    const team_id = (await owner.call('POST', '/api/teams', { name: 'T' })).json<{ id: string }>().id;
    await owner.call('POST', `/api/teams/${team_id}/members`, { email: friend.email });
    expect((await owner.call('POST', `${url}/team-shares`, { team_id })).statusCode).toBe(200);
    expect((await friend.call('GET', url)).json()).toMatchObject({ shared_by_team: 'T' });
    expect((await owner.call('DELETE', `${url}/team-shares/${team_id}`)).statusCode).toBe(204);
    expect((await friend.call('GET', url)).statusCode).toBe(404);
  });
});
