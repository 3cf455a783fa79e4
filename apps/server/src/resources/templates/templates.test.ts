import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareTestApp, type TestApp, type TestUser } from '../../testing/index.ts';

let app: TestApp;
let author: TestUser;
let reader: TestUser;
let stranger: TestUser;
let team: string;
beforeAll(async () => {
  app = await shareTestApp();
  [author, reader, stranger] = [
    await app.user('Author'),
    await app.user('Reader'),
    await app.user('Stranger'),
  ];
  team = (await author.call('POST', '/api/teams', { name: 'T' })).json<{ id: string }>().id;
  await author.call('POST', `/api/teams/${team}/members`, { email: reader.email });
});
afterAll(() => app.close());

const NODE = { id: 'n1', type: 'set', position: { x: 1, y: 2 }, data: { label: 'Set' } };

const bodies = {
  workflow: (more: Record<string, unknown> = {}) => ({
    kind: 'workflow',
    workflow: { name: 'Flow', nodes: [NODE], edges: [], tags: ['mail'], ...more },
  }),
  node: (more: Record<string, unknown> = {}) => ({
    kind: 'node',
    node: { name: 'Node', node_type: 'set', node_data: { label: 'Set' }, ...more },
  }),
};

async function create(kind: 'workflow' | 'node', more?: Record<string, unknown>): Promise<string> {
  const answer = await author.call('POST', '/api/templates', bodies[kind](more));
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string }>().id;
}

describe.each(['workflow', 'node'] as const)('a %s template', (kind) => {
  const url = (id: string) => `/api/templates/${kind}/${id}`;

  test('201: holds what it was made of', async () => {
    const answer = await author.call('POST', '/api/templates', bodies[kind]());
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({
      author_id: author.id,
      author_name: 'Author',
      visibility: 'everyone',
      use_count: 0,
      ...(kind === 'workflow' ? { nodes: [NODE], edges: [], tags: ['mail'] } : { node_type: 'set' }),
    });
  });

  test('for everyone: all read and use it, the author alone changes it', async () => {
    const id = await create(kind);
    expect((await stranger.call('GET', url(id))).statusCode).toBe(200);
    expect((await stranger.call('PATCH', url(id), { name: 'x' })).statusCode).toBe(403);
    expect((await stranger.call('DELETE', url(id))).statusCode).toBe(403);
    expect((await author.call('PATCH', url(id), { name: 'New', tags: ['a'] })).json()).toMatchObject({
      name: 'New',
      tags: ['a'],
    });
    expect((await author.call('DELETE', url(id))).statusCode).toBe(204);
    expect((await author.call('GET', url(id))).statusCode).toBe(404);
  });

  test('§2.5: visibility "specific users" takes people and teams; it is hidden from everyone else', async () => {
    const byMail = await create(kind, {
      visibility: 'specific_users',
      shared_with: [reader.email.toUpperCase()],
    });
    const byTeam = await create(kind, { visibility: 'specific_users', shared_with_teams: [team] });
    for (const id of [byMail, byTeam]) {
      expect((await reader.call('GET', url(id))).statusCode).toBe(200);
      expect((await reader.call('PATCH', url(id), { name: 'x' })).statusCode).toBe(403);
      for (const [method, suffix] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/use'],
      ] as const) {
        const body = method === 'PATCH' ? {} : undefined;
        expect((await stranger.call(method, url(id) + suffix, body)).statusCode).toBe(404);
      }
    }
    expect((await reader.call('GET', url(byMail))).json()).toMatchObject({
      shared_with: [],
      shared_with_teams: [],
    });
    expect((await author.call('GET', url(byMail))).json()).toMatchObject({ shared_with: [reader.email] });
    await author.call('PATCH', url(byTeam), { shared_with_teams: [] });
    expect((await reader.call('GET', url(byTeam))).statusCode).toBe(404);
  });

  test('uses are counted, also simultaneous ones', async () => {
    const id = await create(kind);
    await Promise.all(Array.from({ length: 20 }, () => stranger.call('POST', `${url(id)}/use`)));
    expect((await author.call('GET', url(id))).json()).toMatchObject({ use_count: 20 });
  });

  test('404: under the address of the other kind', async () => {
    const id = await create(kind);
    const other = kind === 'node' ? 'workflow' : 'node';
    expect((await author.call('GET', `/api/templates/${other}/${id}`)).statusCode).toBe(404);
  });
});

test('the list filters by kind and by text in name, description and tags', async () => {
  const me = await app.user();
  const mark = `m${Date.now()}`;
  await me.call('POST', '/api/templates', bodies.workflow({ name: mark }));
  await me.call('POST', '/api/templates', bodies.node({ description: `about ${mark}` }));
  await me.call('POST', '/api/templates', bodies.node({ tags: [mark] }));
  const sizes = async (query: string) => {
    const found = (await me.call('GET', `/api/templates?search=${mark}${query}`)).json<
      Record<string, unknown[]>
    >();
    return [found['workflow_templates']?.length, found['node_templates']?.length];
  };
  expect(await sizes('')).toEqual([1, 2]);
  expect(await sizes('&type=node')).toEqual([0, 2]);
});

test('404: a team that the author does not belong to', async () => {
  const body = bodies.node({ visibility: 'specific_users', shared_with_teams: [team] });
  expect((await stranger.call('POST', '/api/templates', body)).statusCode).toBe(404);
});

test('422: a part is missing, a reserved key, an unknown kind', async () => {
  const wrong = [
    { kind: 'workflow', node: {} },
    bodies.node({ node_data: { constructor: 1 } }),
    { kind: 'other' },
    bodies.node({ name: '' }),
  ];
  for (const body of wrong) expect((await author.call('POST', '/api/templates', body)).statusCode).toBe(422);
});

test('a workflow template takes a graph as a workflow does: numbers as ids, edges without one', async () => {
  const graph = {
    nodes: [
      { ...NODE, id: 1 },
      { ...NODE, id: 2, data: { label: 'B' } },
    ],
    edges: [{ source: 1, target: 2, sourceHandle: null }],
  };
  const answer = await author.call('POST', '/api/templates', bodies.workflow(graph));
  expect(answer.statusCode, answer.body).toBe(201);
  expect(answer.json()).toMatchObject({
    nodes: [{ id: '1' }, { id: '2' }],
    edges: [{ id: 'edge_1_2_0', source: '1', target: '2' }],
  });
  const reserved = bodies.workflow({ nodes: [{ ...NODE, data: { label: '__proto__' } }] });
  const refused = await author.call('POST', '/api/templates', reserved);
  expect(refused.statusCode).toBe(422);
  expect(refused.json<{ detail: { loc: unknown[] }[] }>().detail[0]?.loc).toEqual([
    'body',
    'workflow',
    'nodes',
    0,
    'data',
    'label',
  ]);
});
