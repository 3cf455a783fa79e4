import { describe, expect, test } from 'vitest';
import { useOwnTestApp } from '../../testing/index.ts';

const app = await useOwnTestApp();
const creator = await app.user('Creator');
const member = await app.user('Member');
const stranger = await app.user('Stranger');

async function newTeam(): Promise<string> {
  const { id } = (await creator.call('POST', '/api/teams', { name: 'Team' })).json<{ id: string }>();
  await creator.call('POST', `/api/teams/${id}/members`, { email: member.email });
  return id;
}

describe('POST /api/teams', () => {
  test('§2.5: 201: a named group whose creator is its first member', async () => {
    const answer = await creator.call('POST', '/api/teams', {
      name: ' Ops ',
      description: 'Keeps it running',
    });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({
      name: 'Ops',
      description: 'Keeps it running',
      creator_id: creator.id,
      creator_email: creator.email,
      creator_name: 'Creator',
      member_count: 1,
      members: [{ user_id: creator.id, added_by: null }],
    });
  });
  test('422: an empty name', async () => {
    expect((await creator.call('POST', '/api/teams', { name: ' ' })).statusCode).toBe(422);
  });
});

describe('GET /api/teams', () => {
  test('§4.6: lists the teams of the caller only, newest first', async () => {
    const me = await app.user();
    const ids: string[] = [];
    for (const name of ['first', 'second']) {
      app.clock.now += 1000;
      ids.unshift((await me.call('POST', '/api/teams', { name })).json<{ id: string }>().id);
    }
    expect((await me.call('GET', '/api/teams')).json<{ id: string }[]>().map((team) => team.id)).toEqual(ids);
    await me.call('POST', `/api/teams/${ids[1]}/members`, { email: member.email });
    const theirs = (await member.call('GET', '/api/teams')).json<{ id: string }[]>().map((team) => team.id);
    expect(theirs.filter((id) => ids.includes(id))).toEqual([ids[1]]);
    expect((await stranger.call('GET', '/api/teams')).json()).toEqual([]);
  });
});

describe('members', () => {
  test('§4.6, §5.8: a member adds others by e-mail address; adding again changes nothing', async () => {
    const id = await newTeam();
    for (const _ of [1, 2]) {
      const answer = await member.call('POST', `/api/teams/${id}/members`, {
        email: stranger.email.toUpperCase(),
      });
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toMatchObject({ member_count: 3 });
    }
    expect((await member.call('GET', `/api/teams/${id}`)).json()).toMatchObject({
      members: [
        { user_id: creator.id, email: creator.email },
        { user_id: member.id, email: member.email },
        { user_id: stranger.id, email: stranger.email, added_by: member.email },
      ],
    });
  });

  test('§4.6: 404: a person without an account, and a team that one does not belong to', async () => {
    const id = await newTeam();
    const unknown = await member.call('POST', `/api/teams/${id}/members`, { email: 'unknown@example.com' });
    expect(unknown.statusCode).toBe(404);
    expect(unknown.json()).toMatchObject({ detail: 'User not found', field: 'email' });
    const outside = await stranger.call('POST', `/api/teams/${id}/members`, { email: stranger.email });
    expect(outside.statusCode).toBe(404);
    expect(outside.json()).not.toHaveProperty('field');
  });

  test('422: no e-mail address', async () => {
    const answer = await member.call('POST', `/api/teams/${await newTeam()}/members`, {
      email: 'no address',
    });
    expect(answer.statusCode).toBe(422);
  });

  test('§2.5, §4.6, §5.8: a member can remove others and themselves, but not the creator', async () => {
    const id = await newTeam();
    await member.call('POST', `/api/teams/${id}/members`, { email: stranger.email });
    expect((await member.call('DELETE', `/api/teams/${id}/members/${stranger.id}`)).json()).toMatchObject({
      member_count: 2,
    });
    for (const person of [member, creator]) {
      const answer = await person.call('DELETE', `/api/teams/${id}/members/${creator.id}`);
      expect(answer.statusCode).toBe(400);
    }
    expect((await member.call('DELETE', `/api/teams/${id}/members/${stranger.id}`)).statusCode).toBe(404);
    expect((await member.call('DELETE', `/api/teams/${id}/members/${member.id}`)).statusCode).toBe(200);
    expect((await member.call('GET', `/api/teams/${id}`)).statusCode).toBe(404);
  });
});

describe.each([
  ['PATCH', { name: 'Other' }, 200],
  ['DELETE', undefined, 204],
] as const)('%s /api/teams/{id}', (method, body, success) => {
  test(`§5.8: ${success} for the creator, 403 for members, 404 for others, 401 without a session`, async () => {
    const id = await newTeam();
    const url = `/api/teams/${id}`;
    expect((await member.call(method, url, body)).statusCode).toBe(403);
    expect((await stranger.call(method, url, body)).statusCode).toBe(404);
    expect((await app.call(method, url, body)).statusCode).toBe(401);
    expect((await creator.call(method, url, body)).statusCode).toBe(success);
  });
});
