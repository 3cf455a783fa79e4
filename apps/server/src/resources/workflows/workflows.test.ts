import type { Workflow, WorkflowSummary } from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import { type TestUser, useOwnTestApp } from '../../testing/index.ts';
import { shareWith, shareWithTeam } from './testing/sharing.ts';

const app = await useOwnTestApp();
const owner = await app.user('Olga');
const friend = await app.user('Fritz');
const stranger = await app.user('Sam');

const node = (id: string, type = 'set', data: Record<string, unknown> = {}) => ({
  id,
  type,
  position: { x: 1, y: 2 },
  data: { label: id, ...data },
});
const edge = (source: string, target: string) => ({ id: `${source}-${target}`, source, target });
const GRAPH = { nodes: [node('start', 'textInput'), node('end')], edges: [edge('start', 'end')] };
const UNKNOWN = '11111111-1111-4111-8111-111111111111';

async function create(user = owner, body: Record<string, unknown> = {}): Promise<Workflow> {
  const answer = await user.call('POST', '/api/workflows', { name: 'Invoices', ...body });
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return answer.json<Workflow>();
}
async function shared(): Promise<Workflow> {
  const workflow = await create();
  await shareWith(app, workflow.id, friend);
  return workflow;
}
const read = async (user: TestUser, id: string) =>
  (await user.call('GET', `/api/workflows/${id}`)).json<Workflow>();
const put = (user: TestUser, id: string, body: unknown) => user.call('PUT', `/api/workflows/${id}`, body);

describe('POST /api/workflows', () => {
  it('§2.1, §9: 201 with an empty graph and the defaults of every setting', async () => {
    const answer = await owner.call('POST', '/api/workflows', { name: ' First ', description: 'Why' });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual({
      id: expect.any(String),
      name: 'First',
      description: 'Why',
      nodes: [],
      edges: [],
      owner_id: owner.id,
      owner_name: 'Olga',
      access: 'owner',
      folder_id: null,
      scheduled_for_deletion: null,
      first_node_type: null,
      auth_type: 'jwt',
      allow_anonymous: false,
      auth_header_key: null,
      auth_header_value: null,
      auth_header_value_set: false,
      http_method: 'POST',
      webhook_body_mode: 'defined',
      cache_ttl_seconds: null,
      rate_limit_requests: null,
      rate_limit_window_seconds: null,
      sse_enabled: false,
      sse_node_config: {},
      workflow_timeout_seconds: null,
      concurrency_limit: null,
      concurrency_key: null,
      queue_limit: null,
      queue_overflow: 'refuse',
      strict_references: false,
      priority: 0,
      run_budget_usd: null,
      daily_budget_usd: null,
      error_workflow_id: null,
      mcp_enabled: false,
      portal_enabled: false,
      portal_slug: null,
      portal_stream_enabled: true,
      portal_file_upload_enabled: false,
      portal_file_config: {},
      portal_rate_limit_requests: null,
      portal_rate_limit_window_seconds: null,
      portal_allowed_origins: [],
      portal_appearance: {
        welcome_text: '',
        suggestions: [],
        accent_color: null,
        logo: null,
        progress: 'labels',
        progress_messages: {},
        reviews_in_chat: false,
      },
      active: true,
      published: true,
      unpublished_changes: false,
      is_draft: false,
      version_id: expect.any(String),
      version_number: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  it('§1: 201 keeps a graph that is given', async () => {
    const workflow = await create(owner, GRAPH);
    expect(await read(owner, workflow.id)).toMatchObject(GRAPH);
  });

  it('never takes id, owner or dates from the body', async () => {
    const workflow = await create(owner, {
      id: UNKNOWN,
      owner_id: stranger.id,
      created_at: '2000-01-01T00:00:00Z',
      scheduled_for_deletion: '2000-01-01T00:00:00Z',
      version_id: UNKNOWN,
    });
    expect(workflow.id).not.toBe(UNKNOWN);
    expect(workflow.version_id).not.toBe(UNKNOWN);
    expect(workflow).toMatchObject({ owner_id: owner.id, scheduled_for_deletion: null });
    expect(Date.parse(workflow.created_at)).toBeGreaterThan(Date.parse('2020-01-01'));
  });

  it('422 for an empty, long or impossible name', async () => {
    for (const name of ['', '   ', 'x'.repeat(256), 'a\u0000b', 5, null, ['x'], { x: 1 }]) {
      const answer = await owner.call('POST', '/api/workflows', { name });
      expect(answer.statusCode, `name ${JSON.stringify(name)}`).toBe(422);
      expect(answer.json().detail[0].loc).toEqual(['body', 'name']);
    }
  });
});

describe('GET /api/workflows', () => {
  it('200 lists own, shared and team-shared workflows, the last changed first', async () => {
    const [ada, bert, carl] = [await app.user('Ada'), await app.user('Bert'), await app.user('Carl')];
    const own = await create(ada, { name: 'own' });
    const direct = await create(bert, { name: 'direct' });
    const byTeam = await create(bert, { name: 'by team' });
    await create(bert, { name: 'private' });
    await shareWith(app, direct.id, ada);
    await shareWithTeam(app, byTeam.id, [carl, ada]);
    app.clock.now += 1000;
    await put(bert, direct.id, { description: 'changed' });
    const list = (await ada.call('GET', '/api/workflows')).json<WorkflowSummary[]>();
    expect(list[0]?.id).toBe(direct.id);
    expect(list.map((item) => item.name).sort()).toEqual(['by team', 'direct', 'own']);
    const byName = new Map(list.map((item) => [item.name, item]));
    expect(byName.get('own')).toMatchObject({ id: own.id, access: 'owner', shared_by_team: null });
    expect(byName.get('direct')).toMatchObject({
      access: 'collaborator',
      owner_name: 'Bert',
      shared_by_team: null,
    });
    expect(byName.get('by team')).toMatchObject({ access: 'collaborator', shared_by_team: 'Support' });
    expect(list[0]).not.toHaveProperty('nodes');
    expect(list[0]).not.toHaveProperty('auth_header_value');
  });

  it('a workflow that is shared in both ways is listed once', async () => {
    const [ada, bert] = [await app.user(), await app.user()];
    const workflow = await create(bert);
    await shareWith(app, workflow.id, ada);
    await shareWithTeam(app, workflow.id, [bert, ada]);
    await shareWithTeam(app, workflow.id, [bert, ada]);
    expect((await ada.call('GET', '/api/workflows')).json()).toHaveLength(1);
  });

  it('200 searches name and description; % and _ mean themselves', async () => {
    const ada = await app.user();
    for (const name of ['Billing 100%', 'billing_new', 'Other']) await create(ada, { name });
    await create(ada, { name: 'Fourth', description: 'does billing' });
    const names = async (search: string) =>
      (await ada.call('GET', `/api/workflows?sort=name&search=${encodeURIComponent(search)}`))
        .json<WorkflowSummary[]>()
        .map((item) => item.name);
    expect(await names('BILLING')).toEqual(['Billing 100%', 'billing_new', 'Fourth']);
    expect(await names('%')).toEqual(['Billing 100%']);
    expect(await names('_')).toEqual(['billing_new']);
    expect(await names("'; DROP TABLE workflows; --")).toEqual([]);
  });

  it('200 sorts and pages without repeating or skipping, and answers all without a limit', async () => {
    const ada = await app.user();
    for (let n = 0; n < 60; n++) await create(ada, { name: `W${String(n).padStart(2, '0')}` });
    expect((await ada.call('GET', '/api/workflows')).json()).toHaveLength(60);
    const pages = await Promise.all(
      [0, 25, 50].map((offset) =>
        ada.call('GET', `/api/workflows?sort=name&order=desc&limit=25&offset=${offset}`),
      ),
    );
    const names = pages.flatMap((page) => page.json<WorkflowSummary[]>()).map((item) => item.name);
    expect(names).toHaveLength(60);
    expect(new Set(names).size).toBe(60);
    expect(names[0]).toBe('W59');
  });

  it('422 for an unknown sort, a negative offset and a NUL in the search', async () => {
    for (const query of ['sort=password', 'offset=-1', 'limit=0', 'limit=x', 'search=%00']) {
      expect((await owner.call('GET', `/api/workflows?${query}`)).statusCode, `query ${query}`).toBe(422);
    }
  });
});

describe('GET /api/workflows/{id}', () => {
  it('200 for owner and collaborator, 404 for everyone else', async () => {
    const workflow = await shared();
    expect(await read(owner, workflow.id)).toMatchObject({ access: 'owner' });
    expect(await read(friend, workflow.id)).toMatchObject({ access: 'collaborator', owner_name: 'Olga' });
    expect((await stranger.call('GET', `/api/workflows/${workflow.id}`)).statusCode).toBe(404);
    expect((await owner.call('GET', `/api/workflows/${UNKNOWN}`)).statusCode).toBe(404);
    expect((await app.call('GET', `/api/workflows/${workflow.id}`)).statusCode).toBe(401);
  });

  it('422 for an id that is no uuid', async () => {
    for (const id of ['x', "1' OR '1'='1", '%00']) {
      expect((await owner.call('GET', `/api/workflows/${encodeURIComponent(id)}`)).statusCode).toBe(422);
    }
  });
});

describe('PUT /api/workflows/{id}', () => {
  it('200 changes what is given and leaves what is null or absent', async () => {
    const workflow = await create(owner, { ...GRAPH, description: 'Old' });
    const answer = await put(owner, workflow.id, { name: 'New', description: null, nodes: null });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ name: 'New', description: 'Old', ...GRAPH });
    expect((await put(owner, workflow.id, { description: '' })).json()).toMatchObject({ description: null });
  });

  it('200 accepts the whole record as it was read and changes nothing', async () => {
    const workflow = await create(owner, GRAPH);
    const before = await read(owner, workflow.id);
    const { problems: _, ...after } = (await put(owner, workflow.id, before)).json();
    expect(after).toEqual(before);
  });

  it('updated_at strictly increases, even within one millisecond', async () => {
    let last = await create();
    for (const name of ['a', 'b', 'c']) {
      const next = (await put(owner, last.id, { name })).json<Workflow>();
      expect(Date.parse(next.updated_at)).toBeGreaterThan(Date.parse(last.updated_at));
      last = next;
    }
  });

  it('200 keeps an unfinished graph: edges to nowhere, doubled ids, unknown types', async () => {
    const workflow = await create();
    const graph = {
      nodes: [node('a'), node('a'), node('b', 'notYetKnown')],
      edges: [edge('a', 'nowhere'), edge('b', 'b')],
    };
    expect((await put(owner, workflow.id, graph)).statusCode).toBe(200);
    expect(await read(owner, workflow.id)).toMatchObject(graph);
  });

  it('409 with the current record for a stale base_updated_at, and nothing is lost', async () => {
    const workflow = await create(owner, GRAPH);
    const first = await put(owner, workflow.id, { name: 'First', base_updated_at: workflow.updated_at });
    expect(first.statusCode).toBe(200);
    const second = await put(owner, workflow.id, { name: 'Second', base_updated_at: workflow.updated_at });
    expect(second.statusCode).toBe(409);
    expect(second.json()).toMatchObject({
      code: 'conflict',
      detail: {
        message: expect.any(String),
        updated_at: first.json().updated_at,
        current: { name: 'First', ...GRAPH },
      },
    });
    expect(await read(owner, workflow.id)).toMatchObject({ name: 'First' });
  });

  it('exactly one of many simultaneous writers with the same base wins', async () => {
    const workflow = await create();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        put(owner, workflow.id, { name: `Writer ${n}`, base_updated_at: workflow.updated_at }),
      ),
    );
    const codes = answers.map((answer) => answer.statusCode).sort();
    expect(codes).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    const winner = answers.find((answer) => answer.statusCode === 200)?.json<Workflow>();
    expect(await read(owner, workflow.id)).toMatchObject({ name: winner?.name });
  });

  it('a collaborator finds the header value hidden in the current record of a conflict, too', async () => {
    const workflow = await shared();
    await put(owner, workflow.id, { auth_header_value: 'top-secret' });
    const answer = await put(friend, workflow.id, { name: 'X', base_updated_at: workflow.updated_at });
    expect(answer.statusCode).toBe(409);
    expect(answer.body).not.toContain('top-secret');
    expect(answer.json().detail.current).toMatchObject({
      auth_header_value: null,
      auth_header_value_set: true,
    });
  });

  it('422 names the path of what a graph may not hold', async () => {
    const workflow = await create();
    const deep = JSON.parse(`${'{"x":'.repeat(70)}1${'}'.repeat(70)}`);
    const cases: [body: unknown, loc: (string | number)[]][] = [
      [{ nodes: [node('a', 'set', { constructor: 1 })] }, ['body', 'nodes', 0, 'data', 'constructor']],
      [
        { nodes: [node('a', 'set', { x: [{ prototype: {} }] })] },
        ['body', 'nodes', 0, 'data', 'x', 0, 'prototype'],
      ],
      [
        { nodes: [node('a'), node('b', 'set', { label: 'constructor' })] },
        ['body', 'nodes', 1, 'data', 'label'],
      ],
      [{ nodes: [node('a', 'sticky', { label: '__proto__' })] }, ['body', 'nodes', 0, 'data', 'label']],
      [{ nodes: [node('a'), node('b\u0000')] }, ['body', 'nodes', 1, 'id']],
      [{ nodes: [node('a', 'set', { text: 'a\u0000' })] }, ['body', 'nodes', 0, 'data', 'text']],
      [{ nodes: 'x' }, ['body', 'nodes']],
      [{ nodes: [5] }, ['body', 'nodes', 0]],
      [{ nodes: [{ type: 'set' }] }, ['body', 'nodes', 0, 'id']],
      [{ nodes: [{ ...node('a'), data: [] }] }, ['body', 'nodes', 0, 'data']],
      [{ nodes: [{ ...node('a'), position: { x: '1', y: 2 } }] }, ['body', 'nodes', 0, 'position', 'x']],
      [{ edges: [{ id: 'e', source: true, target: 'b' }] }, ['body', 'edges', 0, 'source']],
    ];
    for (const [body, loc] of cases) {
      const answer = await put(owner, workflow.id, body);
      expect(answer.statusCode, loc.join('.')).toBe(422);
      expect(answer.json().detail[0].loc).toEqual(loc);
    }
    const tooDeep = await put(owner, workflow.id, { nodes: [node('a', 'set', deep)] });
    expect(tooDeep.statusCode).toBe(422);
    expect(tooDeep.json().detail[0].type).toBe('too_deep');
    const tooMany = Array.from({ length: 10_001 }, (_, n) => ({ id: `n${n}`, type: 'set' }));
    expect((await put(owner, workflow.id, { nodes: tooMany })).statusCode).toBe(422);
    expect(await read(owner, workflow.id)).toMatchObject({ nodes: [], version_number: 1 });
  });

  it('422 for a __proto__ key anywhere, and no prototype changes', async () => {
    const workflow = await create();
    for (const payload of [
      '{"name":"x","__proto__":{"polluted":1}}',
      '{"nodes":[{"id":"a","type":"set","data":{"__proto__":{"polluted":1}}}]}',
      '{"sse_node_config":{"__proto__":{"send_start":true}}}',
      '{"sse_node_config":{"constructor":{"send_start":true}}}',
      '{"portal_file_config":{"prototype":{}}}',
    ]) {
      const answer = await app.app.inject({
        method: 'PUT',
        url: `/api/workflows/${workflow.id}`,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.access_token}` },
        payload,
      });
      expect(answer.statusCode, payload).toBe(422);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('lone surrogates become U+FFFD and pairs stay', async () => {
    const workflow = await create();
    const answer = await app.app.inject({
      method: 'PUT',
      url: `/api/workflows/${workflow.id}`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.access_token}` },
      payload: String.raw`{"nodes":[{"id":"a","type":"set","data":{"label":"x\ud800y","ok":"\ud83d\ude00"}}],
        "sse_node_config":{"a":{"send_start":true,"start_message":"\udc00!"}}}`,
    });
    expect(answer.statusCode).toBe(200);
    const record = await read(owner, workflow.id);
    expect(record.nodes[0]?.data).toEqual({ label: 'x\uFFFDy', ok: '😀' });
    expect(record.sse_node_config['a']?.start_message).toBe('\uFFFD!');
  });

  it('§2.1: never writes id, owner, folder or dates', async () => {
    const workflow = await create();
    const answer = await put(owner, workflow.id, {
      name: 'Renamed',
      id: UNKNOWN,
      owner_id: stranger.id,
      folder_id: UNKNOWN,
      created_at: '2000-01-01T00:00:00Z',
      updated_at: '2000-01-01T00:00:00Z',
      scheduled_for_deletion: '2000-01-01T00:00:00Z',
      version_id: UNKNOWN,
      first_node_type: 'evil',
      triggers_inactive: true,
    });
    expect(answer.json()).toMatchObject({
      id: workflow.id,
      owner_id: owner.id,
      folder_id: null,
      created_at: workflow.created_at,
      scheduled_for_deletion: null,
      first_node_type: null,
      version_number: 2,
    });
  });

  it('404 for a stranger, 401 for an anonymous caller', async () => {
    const workflow = await create();
    expect((await put(stranger, workflow.id, { name: 'Mine' })).statusCode).toBe(404);
    expect((await app.call('PUT', `/api/workflows/${workflow.id}`, { name: 'Mine' })).statusCode).toBe(401);
    expect(await read(owner, workflow.id)).toMatchObject({ name: 'Invoices' });
  });

  it('tells other parts of the process after a change, and only after one', async () => {
    const workflow = await create();
    const heard: string[] = [];
    const end = app.services.broadcast.subscribe('workflow_changed', (id) => heard.push(id));
    await put(owner, workflow.id, { name: workflow.name });
    expect(heard).toEqual([]);
    await put(owner, workflow.id, { name: 'Other' });
    expect(heard).toEqual([workflow.id]);
    end();
  });
});

describe('DELETE /api/workflows/{id}', () => {
  it('204 for the owner; the workflow is gone for all users', async () => {
    const workflow = await shared();
    const heard: string[] = [];
    const end = app.services.broadcast.subscribe('workflow_changed', (id) => heard.push(id));
    expect((await owner.call('DELETE', `/api/workflows/${workflow.id}`)).statusCode).toBe(204);
    end();
    expect(heard).toEqual([workflow.id]);
    for (const user of [owner, friend]) {
      expect((await user.call('GET', `/api/workflows/${workflow.id}`)).statusCode).toBe(404);
    }
    expect((await owner.call('DELETE', `/api/workflows/${workflow.id}`)).statusCode).toBe(404);
  });

  it('403 for a collaborator, 404 for a stranger', async () => {
    const workflow = await shared();
    expect((await friend.call('DELETE', `/api/workflows/${workflow.id}`)).statusCode).toBe(403);
    expect((await stranger.call('DELETE', `/api/workflows/${workflow.id}`)).statusCode).toBe(404);
    expect((await read(owner, workflow.id)).id).toBe(workflow.id);
  });
});

describe('POST /api/workflows/{id}/duplicate', () => {
  it('201 copies graph and settings, not the portal address', async () => {
    const workflow = await create(owner, GRAPH);
    await put(owner, workflow.id, {
      cache_ttl_seconds: 60,
      auth_type: 'header_auth',
      auth_header_key: 'X-Key',
      auth_header_value: 'v',
      portal_enabled: true,
      portal_slug: 'to-copy',
    });
    const answer = await owner.call('POST', `/api/workflows/${workflow.id}/duplicate`);
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({
      ...GRAPH,
      name: 'Invoices (copy)',
      cache_ttl_seconds: 60,
      auth_header_value: 'v',
      portal_enabled: false,
      portal_slug: null,
      version_number: 1,
    });
    expect(answer.json().id).not.toBe(workflow.id);
  });

  it('201 for a collaborator, whose copy is their own and lacks the header value', async () => {
    const workflow = await shared();
    await put(owner, workflow.id, { auth_header_value: 'top-secret' });
    const answer = await friend.call('POST', `/api/workflows/${workflow.id}/duplicate`, { name: 'Mine' });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({
      name: 'Mine',
      owner_id: friend.id,
      access: 'owner',
      auth_header_value_set: false,
    });
  });

  it('404 for a stranger, 422 for a bad name', async () => {
    const workflow = await create();
    const url = `/api/workflows/${workflow.id}/duplicate`;
    expect((await stranger.call('POST', url)).statusCode).toBe(404);
    expect((await owner.call('POST', url, { name: 5 })).statusCode).toBe(422);
  });
});
