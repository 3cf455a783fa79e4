import type { TeamDetail } from '@millrace/contracts';
import { shareTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let app: TestApp;
let creator: TestUser;
let member: TestUser;
let outsider: TestUser;
let team: string;
beforeAll(async () => {
  app = await shareTestApp();
  [creator, member, outsider] = [await app.user('Creator'), await app.user('Member'), await app.user('Out')];
  team = (await creator.call('POST', '/api/teams', { name: 'Team' })).json<TeamDetail>().id;
  await creator.call('POST', `/api/teams/${team}/members`, { email: member.email });
});
afterAll(() => app.close());

const made = async (url: string, body: unknown) =>
  (await creator.call('POST', url, body)).json<{ id: string }>().id;

describe('§4.6 team shares', () => {
  const KINDS = [
    ['workflows', '/api/workflows', { name: 'shared' }],
    [
      'credentials',
      '/api/credentials',
      { name: 'shared', type: 'bearer', config: { bearer_token: 'abcdefgh' } },
    ],
    ['global_variables', '/api/global-variables', { name: 'shared' }],
    ['data_tables', '/api/data-tables', { name: 'shared' }],
    ['boards', '/api/boards', { name: 'shared' }],
  ] as const;

  it.each(KINDS)('§4.6, §2.5: GET, POST and DELETE team-shares of %s', async (kind, url, body) => {
    const id = await made(url, { ...body, name: `${kind} 1` });
    const shares = `${url}/${id}/team-shares`;
    const first = await creator.call('POST', shares, { team_id: team });
    expect(first.json()).toMatchObject({ team_id: team, team_name: 'Team' });
    expect((await creator.call('POST', shares, { team_id: team })).json()).toEqual(first.json());
    expect((await creator.call('GET', shares)).json()).toEqual([first.json()]);
    expect((await member.call('GET', `${url}/${id}`)).statusCode).toBe(200);
    expect((await creator.call('DELETE', `${shares}/${team}`)).statusCode).toBe(204);
    expect((await member.call('GET', `${url}/${id}`)).statusCode).toBe(404);
    expect((await creator.call('DELETE', `${shares}/${team}`)).statusCode).toBe(404);
  });

  it.each(KINDS)(
    '§4.6: DELETE team-shares of %s also takes the team as POST does',
    async (kind, url, body) => {
      const shares = `${url}/${await made(url, { ...body, name: `${kind} of a body` })}/team-shares`;
      await creator.call('POST', shares, { team_id: team });
      expect((await outsider.call('DELETE', shares, { team_id: team })).statusCode).toBe(404);
      expect((await member.call('DELETE', shares, { team_id: team })).statusCode).toBe(403);
      const without = await creator.call('DELETE', shares, {});
      expect(without.statusCode).toBe(422);
      expect(without.json().detail[0].loc).toEqual(['body', 'team_id']);
      expect((await creator.call('DELETE', shares)).statusCode).toBe(422);
      expect((await creator.call('DELETE', shares, { team_id: team })).statusCode).toBe(204);
      expect((await creator.call('GET', shares)).json()).toEqual([]);
      expect((await creator.call('DELETE', shares, { team_id: team })).statusCode).toBe(404);
    },
  );

  it('§4.6: GET, POST and DELETE team-shares of vector stores', async () => {
    const config = { qdrant_host: 'localhost', openai_api_key: 'sk-12345678' };
    const credential_id = await made('/api/credentials', { name: 'store 1', type: 'qdrant', config });
    const id = await made('/api/vector-stores', { name: 'store 1', credential_id });
    const shares = `/api/vector-stores/${id}/team-shares`;
    const first = await creator.call('POST', shares, { team_id: team });
    expect(first.json()).toMatchObject({ team_id: team, team_name: 'Team' });
    expect((await creator.call('GET', shares)).json()).toEqual([first.json()]);
    const seen = async () =>
      (await member.call('GET', '/api/vector-stores')).json<{ id: string }[]>().map((store) => store.id);
    expect(await seen()).toContain(id);
    expect((await creator.call('DELETE', `${shares}/${team}`)).statusCode).toBe(204);
    expect(await seen()).not.toContain(id);
  });

  it('§4.6: shared-entities lists every kind; deleting the team removes all team shares', async () => {
    const own = (await creator.call('POST', '/api/teams', { name: 'Everything' })).json<TeamDetail>().id;
    await creator.call('POST', `/api/teams/${own}/members`, { email: member.email });
    const ids: Record<string, string> = {};
    for (const [kind, url, body] of KINDS) {
      ids[kind] = await made(url, { ...body, name: `${kind} 2` });
      await creator.call('POST', `${url}/${ids[kind]}/team-shares`, { team_id: own });
    }
    const config = { qdrant_host: 'localhost', openai_api_key: 'sk-12345678' };
    const credential_id = await made('/api/credentials', { name: 'vs', type: 'qdrant', config });
    ids['vector_stores'] = await made('/api/vector-stores', { name: 'store', credential_id });
    await creator.call('POST', `/api/vector-stores/${ids['vector_stores']}/team-shares`, { team_id: own });
    const limited = { visibility: 'specific_users', shared_with_teams: [own] };
    ids['workflow_templates'] = await made('/api/templates', {
      kind: 'workflow',
      workflow: { name: 't', nodes: [], ...limited },
    });
    ids['node_templates'] = await made('/api/templates', {
      kind: 'node',
      node: { name: 't', node_type: 'set', node_data: {}, ...limited },
    });
    const form = new FormData();
    form.set('file', new Blob(['x']), 'shared.txt');
    const request = new Request('http://localhost', { method: 'POST', body: form });
    const type = request.headers.get('content-type') ?? '';
    const upload = await creator.call('POST', '/api/files/upload', Buffer.from(await request.arrayBuffer()), {
      'content-type': type,
    });
    ids['files'] = upload.json<{ id: string }>().id;
    await creator.call('PATCH', `/api/files/${ids['files']}/team-sharing`, { enabled: true });

    const entities = await member.call('GET', `/api/teams/${own}/shared-entities`);
    expect(entities.json()).toEqual({
      skills: [],
      ...Object.fromEntries(
        Object.entries(ids).map(([kind, id]) => [kind, [{ id, name: expect.any(String) }]]),
      ),
    });
    const shared = KINDS.map(([kind, url]) => `${url}/${ids[kind]}`);
    const statuses = () => Promise.all(shared.map(async (url) => (await member.call('GET', url)).statusCode));
    expect(new Set(await statuses())).toEqual(new Set([200]));
    expect((await member.call('DELETE', `/api/teams/${own}`)).statusCode).toBe(403);
    expect((await creator.call('DELETE', `/api/teams/${own}`)).statusCode).toBe(204);
    expect(new Set(await statuses())).toEqual(new Set([404]));
    const { rows } = await app.services.database.sql.query<{ n: number }>({
      text: `SELECT ((SELECT count(*) FROM workflow_team_shares WHERE team_id = $1)
        + (SELECT count(*) FROM credential_team_shares WHERE team_id = $1)
        + (SELECT count(*) FROM global_variable_team_shares WHERE team_id = $1)
        + (SELECT count(*) FROM vector_store_team_shares WHERE team_id = $1)
        + (SELECT count(*) FROM data_table_team_shares WHERE team_id = $1)
        + (SELECT count(*) FROM board_team_shares WHERE team_id = $1)
        + (SELECT count(*) FROM template_team_shares WHERE team_id = $1)
        + (SELECT count(*) FROM file_team_shares WHERE team_id = $1))::int AS n`,
      values: [own],
    });
    expect(rows).toEqual([{ n: 0 }]);
  });
});
