import type { TeamDetail } from '@millrace/contracts';
import { shareTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let app: TestApp;
let creator: TestUser;
let member: TestUser;
let team: string;
beforeAll(async () => {
  app = await shareTestApp();
  [creator, member] = [await app.user(), await app.user()];
  team = (await creator.call('POST', '/api/teams', { name: 'Team' })).json<TeamDetail>().id;
  await creator.call('POST', `/api/teams/${team}/members`, { email: member.email });
});
afterAll(() => app.close());

const made = async (url: string, body: unknown) =>
  (await creator.call('POST', url, body)).json<{ id: string }>().id;

describe('§2.5 teams and shares', () => {
  it('§2.5: a team is a named group with a creator and members; the creator is always a member', async () => {
    const answer = await creator.call('POST', '/api/teams', { name: 'Named' });
    const detail = answer.json<TeamDetail>();
    expect(detail).toMatchObject({ name: 'Named', creator_id: creator.id });
    expect(detail.members.map((item) => item.user_id)).toEqual([creator.id]);
    const removed = await creator.call('DELETE', `/api/teams/${detail.id}/members/${creator.id}`);
    expect(removed.statusCode).toBe(400);
  });

  it('§2.5: CredentialShare and CredentialTeamShare name the credential and the user or the team', async () => {
    const body = { name: 'c', type: 'bearer', config: { bearer_token: 'abcdefgh' } };
    const url = `/api/credentials/${await made('/api/credentials', body)}`;
    const user = await creator.call('POST', `${url}/shares`, { email: member.email });
    expect(user.json()).toMatchObject({ user_id: member.id });
    const shared = await creator.call('POST', `${url}/team-shares`, { team_id: team });
    expect(shared.json()).toMatchObject({ team_id: team });
  });

  it.each(['workflow', 'node'])(
    '§2.5: template visibility "specific users" of a %s can also select teams',
    async (kind) => {
      const content = kind === 'workflow' ? { nodes: [] } : { node_type: 'set', node_data: {} };
      const settings = { name: 't', visibility: 'specific_users', shared_with_teams: [team] };
      const id = await made('/api/templates', { kind, [kind]: { ...content, ...settings } });
      expect((await member.call('GET', `/api/templates/${kind}/${id}`)).statusCode).toBe(200);
      await creator.call('PATCH', `/api/templates/${kind}/${id}`, { shared_with_teams: [] });
      expect((await member.call('GET', `/api/templates/${kind}/${id}`)).statusCode).toBe(404);
    },
  );

  it('§2.5: Drive file team shares are read-only for members; the owner keeps management rights', async () => {
    const form = new FormData();
    form.set('file', new Blob(['content']), 'a.txt');
    const request = new Request('http://localhost', { method: 'POST', body: form });
    const type = request.headers.get('content-type') ?? '';
    const payload = Buffer.from(await request.arrayBuffer());
    const upload = await creator.call('POST', '/api/files/upload', payload, { 'content-type': type });
    const url = `/api/files/${upload.json<{ id: string }>().id}`;
    await creator.call('PATCH', `${url}/team-sharing`, { enabled: true });
    expect((await member.call('GET', `${url}/download`)).body).toBe('content');
    expect((await member.call('DELETE', url)).statusCode).toBe(403);
    expect((await member.call('POST', `${url}/share`, {})).statusCode).toBe(403);
    expect((await member.call('PATCH', `${url}/team-sharing`, { enabled: false })).statusCode).toBe(403);
    expect((await creator.call('DELETE', url)).statusCode).toBe(204);
  });
});
