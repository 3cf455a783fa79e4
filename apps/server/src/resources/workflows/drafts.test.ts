import type {
  AuditEntry,
  GraphNode,
  HistoryItem,
  SavedWorkflow,
  VersionDiff,
  Workflow,
  WorkflowSummary,
  WorkflowVersionSummary,
} from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import { type TestUser, useTestApp } from '../../testing/test-app.ts';
import { graph, until } from '../executions/testing/workflows.ts';
import { shareWith } from './testing/sharing.ts';

const saying = (text: string) =>
  graph(
    [
      ['start', 'textInput'],
      ['out', 'output', { message: text }],
    ],
    ['start>out'],
  );
const FIRST = saying('first');
const SECOND = saying('second');
const THIRD = saying('third');
const EMPTY = { nodes: [], edges: [] };

const app = await useTestApp();
const owner = await app.user();
const friend = await app.user();
const stranger = await app.user();

async function ok<T>(user: TestUser, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown) {
  const answer = await user.call(method, url, body);
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer.json<T>();
}
const create = (content: object = FIRST, query = '') =>
  ok<Workflow>(owner, 'POST', `/api/workflows${query}`, { name: 'Greeter', ...content });
const read = (id: string, query = '') => ok<Workflow>(owner, 'GET', `/api/workflows/${id}${query}`);
const put = (id: string, body: object, query = '') =>
  ok<SavedWorkflow>(owner, 'PUT', `/api/workflows/${id}${query}`, body);
const draft = (id: string, body: object) => put(id, body, '?draft=true');
const publish = (id: string, body: object = {}) =>
  ok<SavedWorkflow>(owner, 'POST', `/api/workflows/${id}/publish`, body);
const versions = (id: string, query = '') =>
  ok<WorkflowVersionSummary[]>(owner, 'GET', `/api/workflows/${id}/versions${query}`);

const DRAFT = { 'x-run-draft': 'true' };
const call = (id: string, user: TestUser = owner, headers: Record<string, string> = {}) =>
  user.call('POST', `/api/workflows/${id}/execute`, {}, headers);
async function said(id: string, headers: Record<string, string> = {}): Promise<unknown> {
  const answer = await call(id, owner, headers);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ outputs: { out: { result: unknown } } }>().outputs.out.result;
}
const pickGraph = ({ nodes, edges }: Workflow) => ({ nodes, edges });
const audit = async (id: string) =>
  (await ok<{ items: AuditEntry[] }>(owner, 'GET', `/api/audit?object_id=${id}`)).items
    .map(({ action, details }) => ({ action, details }))
    .reverse();

describe('a draft', () => {
  it('§4.1: calls run what is published, and the editor what was saved last', async () => {
    const { id } = await create();
    await draft(id, SECOND);
    expect(await said(id)).toBe('first');
    expect(await said(id, DRAFT)).toBe('second');
    await publish(id);
    expect(await said(id)).toBe('second');
    expect(await said(id, DRAFT)).toBe('second');
  });

  it('is shown where it is asked for, and nowhere else', async () => {
    const { id } = await create();
    const saved = await draft(id, SECOND);
    expect(saved).toMatchObject({ ...SECOND, is_draft: true, unpublished_changes: true, problems: [] });
    expect(await read(id)).toMatchObject({ ...FIRST, is_draft: false, unpublished_changes: true });
    expect(await read(id, '?draft=true')).toMatchObject({ ...SECOND, is_draft: true, version_number: 1 });
    const listed = await ok<WorkflowSummary[]>(owner, 'GET', '/api/workflows');
    expect(listed.find((one) => one.id === id)).toMatchObject({
      published: true,
      unpublished_changes: true,
      active: true,
    });
    const file = (query: string) => owner.call('GET', `/api/workflows/${id}/export${query}`);
    expect((await file('')).body).toContain('first');
    expect((await file('?draft=true')).body).toContain('second');
  });

  it('adds no version, however often it is saved', async () => {
    const { id } = await create();
    for (const content of [SECOND, THIRD, SECOND]) await draft(id, content);
    await draft(id, { name: 'Renamed' });
    expect(await versions(id, '?current=true')).toMatchObject([{ version_number: 1, name: 'Greeter' }]);
    const { rows } = await app.services.database.sql.query({
      text: 'SELECT 1 FROM workflow_drafts WHERE workflow_id = $1',
      values: [id],
    });
    expect(rows).toHaveLength(1);
  });

  it('that is edited back to what is published is none any more', async () => {
    const { id } = await create();
    await draft(id, SECOND);
    expect(await draft(id, FIRST)).toMatchObject({ is_draft: false, unpublished_changes: false });
  });

  it('is kept from two writers by the optimistic lock', async () => {
    const { id, updated_at } = await create();
    const first = await draft(id, { ...SECOND, base_updated_at: updated_at });
    const late = await owner.call('PUT', `/api/workflows/${id}?draft=true`, {
      ...THIRD,
      base_updated_at: updated_at,
    });
    expect(late.statusCode).toBe(409);
    expect(late.json()).toMatchObject({
      detail: { updated_at: first.updated_at, current: { ...SECOND, is_draft: true } },
    });
    const publication = { base_updated_at: updated_at };
    const published = await owner.call('POST', `/api/workflows/${id}/publish`, publication);
    expect(published.statusCode).toBe(409);
  });

  it.each<[string, string, TestUser, boolean]>([
    ['a draft of the same person', '?draft=true', owner, true],
    ['a version of the same person', '', owner, true],
    ['a draft of another person', '?draft=true', friend, false],
    ['a version of another person', '', friend, false],
  ])('is refused over %s and says which it is', async (_what, query, writer, graph_saved_by_you) => {
    const { id, updated_at } = await create();
    await shareWith(app, id, friend);
    await ok(writer, 'PUT', `/api/workflows/${id}${query}`, SECOND);
    const late = await owner.call('PUT', `/api/workflows/${id}?draft=true`, {
      ...THIRD,
      base_updated_at: updated_at,
    });
    expect(late.json()).toMatchObject({ detail: { graph_saved_by_you } });
  });

  it('goes with what is published over it: a PUT without `draft` and a revert', async () => {
    const { id } = await create();
    await draft(id, SECOND);
    expect(await put(id, THIRD)).toMatchObject({ ...THIRD, unpublished_changes: false, version_number: 2 });
    await draft(id, SECOND);
    const [former] = await versions(id);
    const url = `/api/workflows/${id}/versions/${former?.id}/revert`;
    expect(await ok(owner, 'POST', url, { confirm: true })).toMatchObject({
      ...FIRST,
      unpublished_changes: false,
      version_number: 3,
    });
  });

  it('stays when settings or the name change', async () => {
    const { id } = await create();
    await draft(id, SECOND);
    expect(await put(id, { cache_ttl_seconds: 60 })).toMatchObject({ ...FIRST, unpublished_changes: true });
    expect(pickGraph(await read(id, '?draft=true'))).toEqual(SECOND);
    expect(await said(id)).toBe('first');
  });

  it('can be discarded, down to what is published', async () => {
    const { id } = await create();
    await draft(id, SECOND);
    const url = `/api/workflows/${id}/draft`;
    expect(await ok(owner, 'DELETE', url)).toMatchObject({ ...FIRST, unpublished_changes: false });
    expect(await said(id, DRAFT)).toBe('first');
    const fresh = await create(FIRST, '?draft=true');
    expect((await owner.call('DELETE', `/api/workflows/${fresh.id}/draft`)).statusCode).toBe(409);
  });

  it('differs from a version in what the list of differences says', async () => {
    const { id, version_id } = await create();
    await draft(id, SECOND);
    const url = `/api/workflows/${id}/versions/${version_id}/diff?compare_to=draft`;
    expect(await ok<VersionDiff>(owner, 'GET', url)).toMatchObject({
      version_number: 1,
      compared_to_version_number: null,
      node_changes: [{ node_id: 'out', changes: [{ field: 'data.message', new_value: 'second' }] }],
      edge_changes: [],
      config_changes: [],
    });
  });

  it('§5.8: is edited and published by collaborators, and not there for others', async () => {
    const { id } = await create();
    await shareWith(app, id, friend);
    await ok(friend, 'PUT', `/api/workflows/${id}?draft=true`, SECOND);
    expect((await call(id, friend, DRAFT)).json()).toMatchObject({ outputs: { out: { result: 'second' } } });
    await ok(friend, 'POST', `/api/workflows/${id}/publish`, {});
    expect(await said(id)).toBe('second');
    for (const [method, url] of [
      ['PUT', '?draft=true'],
      ['POST', '/publish'],
      ['DELETE', '/draft'],
    ] as const)
      expect((await stranger.call(method, `/api/workflows/${id}${url}`, {})).statusCode).toBe(404);
  });

  it('§5.1: is run by signed-in people with access alone', async () => {
    const { id } = await create();
    await put(id, { auth_type: 'anonymous' });
    await draft(id, SECOND);
    expect((await app.call('POST', `/api/workflows/${id}/execute`, {})).statusCode).toBe(200);
    const anonymous = await app.call('POST', `/api/workflows/${id}/execute`, {}, DRAFT);
    expect(anonymous.statusCode).toBe(403);
    expect((await call(id, stranger, DRAFT)).statusCode).toBe(403);
    const { token } = await ok<{ token: string }>(owner, 'POST', `/api/workflows/${id}/execution-tokens`, {
      ttl_seconds: 60,
    });
    const headers = { authorization: `Bearer ${token}`, ...DRAFT };
    expect((await app.call('POST', `/api/workflows/${id}/execute`, {}, headers)).statusCode).toBe(403);
  });

  it('§4.1 rules 2 and 7: is answered from no cache, and leaves nothing in it', async () => {
    const { id } = await create();
    await put(id, { cache_ttl_seconds: 60, rate_limit_requests: 2, rate_limit_window_seconds: 60 });
    await draft(id, SECOND);
    for (let times = 0; times < 4; times++) expect(await said(id, DRAFT)).toBe('second');
    expect((await call(id)).json()).toMatchObject({
      status: 'success',
      outputs: { out: { result: 'first' } },
    });
    expect((await call(id)).json()).toMatchObject({ status: 'cached' });
  });

  it('that ran is named by its runs; a version by its number', async () => {
    const { id } = await create();
    await draft(id, SECOND);
    await said(id);
    await said(id, DRAFT);
    await draft(id, THIRD);
    await publish(id);
    await said(id);
    const { items } = await ok<{ items: HistoryItem[] }>(owner, 'GET', `/api/workflows/${id}/history`);
    expect(items.map(({ version_number, is_draft }) => ({ version_number, is_draft }))).toEqual([
      { version_number: 2, is_draft: false },
      { version_number: null, is_draft: true },
      { version_number: 1, is_draft: false },
    ]);
    const entry = `/api/workflows/history/all/${items[1]?.id}`;
    expect(await ok(owner, 'GET', entry)).toMatchObject({ version_number: null, is_draft: true });
    await ok(owner, 'GET', `/api/workflows/${id}/versions`);
    expect((await owner.call('DELETE', `/api/workflows/${id}/versions`)).statusCode).toBe(204);
    expect(await ok(owner, 'GET', entry)).toMatchObject({ version_number: null, is_draft: true });
  });

  it('stays as it was for a run that started with it, through later saves', async () => {
    const slow = graph(
      [
        ['start', 'textInput'],
        ['ask', 'callback', { timeoutSeconds: 600 }],
        ['out', 'output', { message: 'slow' }],
      ],
      ['start>ask', 'ask:called>out'],
    );
    const { id } = await create();
    await draft(id, slow);
    const paused = await call(id, owner, DRAFT);
    expect(paused.json()).toMatchObject({ status: 'pending' });
    await draft(id, SECOND);
    await publish(id);
    await owner.call('DELETE', `/api/workflows/${id}/versions`);
    const { outputs } = paused.json<{ outputs: { ask: { url: string } } }>();
    await app.call('POST', new URL(outputs.ask.url).pathname, {});
    const run_id = String(paused.headers['x-execution-id']);
    const entry = await until(async () => {
      const found = await ok<HistoryItem>(owner, 'GET', `/api/workflows/${id}/history/${run_id}`);
      return found.status === 'success' && found;
    });
    expect(entry).toMatchObject({ outputs: { out: { result: 'slow' } }, is_draft: true });
  });

  it('is logged when it begins, when another person continues it and when it is published', async () => {
    const { id } = await create();
    await shareWith(app, id, friend);
    for (const content of [SECOND, THIRD, SECOND]) await draft(id, content);
    for (const content of [THIRD, SECOND])
      await ok(friend, 'PUT', `/api/workflows/${id}?draft=true`, content);
    await publish(id, { note: 'Says it better' });
    await draft(id, THIRD);
    await ok(owner, 'DELETE', `/api/workflows/${id}/draft`);
    expect(await audit(id)).toEqual([
      { action: 'workflow.created', details: null },
      { action: 'workflow.updated', details: { fields: ['draft'] } },
      { action: 'workflow.updated', details: { fields: ['draft'] } },
      { action: 'workflow.published', details: { version_number: 2, note: 'Says it better' } },
      { action: 'workflow.updated', details: { fields: ['draft'] } },
      { action: 'workflow.draft_discarded', details: { version_number: 2 } },
    ]);
  });

  it('tells no other workflow that anything changed', async () => {
    const { id } = await create();
    const events = async () =>
      (
        await app.services.database.sql.query({
          text: 'SELECT 1 FROM platform_events WHERE payload LIKE $1',
          values: [`%${id}%`],
        })
      ).rows.length;
    const before = await events();
    await draft(id, SECOND);
    expect(await events()).toBe(before);
    await publish(id);
    expect(await events()).toBe(before + 1);
  });
});

describe('publishing', () => {
  it('makes one version with a note, which the list shows', async () => {
    const { id } = await create();
    await draft(id, SECOND);
    expect(await publish(id, { note: 'Says it better' })).toMatchObject({
      ...SECOND,
      version_number: 2,
      published: true,
      unpublished_changes: false,
      is_draft: false,
    });
    expect(await versions(id, '?current=true')).toMatchObject([
      { version_number: 2, note: 'Says it better' },
      { version_number: 1, note: null },
    ]);
    expect(await versions(id)).toMatchObject([{ version_number: 1 }]);
  });

  it('again changes nothing', async () => {
    const { id } = await create();
    const before = await read(id);
    expect(await publish(id)).toMatchObject({ version_number: 1, updated_at: before.updated_at });
  });

  it('hosts the triggers of the version, and a draft none of its own', async () => {
    const scheduled = graph([['every', 'cron', { cronExpression: '0 0 1 1 *', active: true }]], []);
    const { id } = await create();
    const triggers = async () =>
      (
        await app.services.database.sql.query({
          text: 'SELECT node_id, active FROM triggers WHERE workflow_id = $1',
          values: [id],
        })
      ).rows;
    await draft(id, scheduled);
    expect(await triggers()).toEqual([]);
    await publish(id);
    expect(await triggers()).toEqual([{ node_id: 'every', active: true }]);
    await put(id, { active: false });
    expect(await triggers()).toEqual([{ node_id: 'every', active: false }]);
    await put(id, { active: true });
    expect(await triggers()).toEqual([{ node_id: 'every', active: true }]);
  });
});

describe('a workflow that was never published', () => {
  it('is made by the editor, by its imports and by copies of such', async () => {
    const made = await create(FIRST, '?draft=true');
    const { workflow: imported } = await ok<{ workflow: Workflow }>(
      owner,
      'POST',
      '/api/workflows/import?draft=true',
      { name: 'Old', ...FIRST },
    );
    const copy = await ok<Workflow>(owner, 'POST', `/api/workflows/${made.id}/duplicate`, {});
    for (const { id } of [made, imported, copy]) {
      expect(await read(id)).toMatchObject({
        ...FIRST,
        published: false,
        is_draft: true,
        unpublished_changes: true,
        version_number: 0,
        first_node_type: 'textInput',
      });
      expect(await said(id, DRAFT)).toBe('first');
      const refused = await call(id);
      expect(refused.statusCode).toBe(409);
      expect(refused.json()).toMatchObject({ detail: 'The workflow has not been published yet' });
      expect(await publish(id)).toMatchObject({ ...FIRST, published: true, version_number: 1 });
      expect(await said(id)).toBe('first');
      expect(await versions(id)).toEqual([]);
    }
  });

  it('§4.1, §9: is not what the API makes: what is created, imported or PUT is executed at once', async () => {
    const created = await create();
    expect(await said(created.id)).toBe('first');
    const { workflow } = await ok<{ workflow: Workflow }>(owner, 'POST', '/api/workflows/import', {
      name: 'Old',
      ...FIRST,
    });
    expect(await said(workflow.id)).toBe('first');
    const { id } = await create(EMPTY, '?draft=true');
    await put(id, SECOND);
    expect(await said(id)).toBe('second');
  });

  it('takes settings without being published by them', async () => {
    const { id } = await create(FIRST, '?draft=true');
    expect(await put(id, { http_method: 'PUT', name: 'Put' })).toMatchObject({
      http_method: 'PUT',
      name: 'Put',
      published: false,
      version_number: 0,
    });
    expect(await publish(id)).toMatchObject({ version_number: 1, http_method: 'PUT', name: 'Put' });
  });

  it('begins empty and is published from that, too', async () => {
    const { id } = await create(EMPTY, '?draft=true');
    expect(await read(id)).toMatchObject({ published: false, is_draft: false, unpublished_changes: false });
    expect((await call(id, owner, DRAFT)).statusCode).toBe(400);
    expect(await publish(id)).toMatchObject({ version_number: 1, published: true });
  });

  it('§3.3: keeps its scheduled deletion up while a start node of its draft is on', async () => {
    const { id } = await create(FIRST, '?draft=true');
    const inactive = async () =>
      (
        await app.services.database.sql.query<{ triggers_inactive: boolean }>({
          text: 'SELECT triggers_inactive FROM workflows WHERE id = $1',
          values: [id],
        })
      ).rows[0]?.triggers_inactive;
    expect(await inactive()).toBe(false);
    const nodes = FIRST.nodes.map((node) => ({ ...node, data: { ...node.data, active: false } }));
    await draft(id, { nodes: nodes as GraphNode[], edges: FIRST.edges });
    expect(await inactive()).toBe(true);
  });

  it('is refused as a sub-workflow in words', async () => {
    const child = await create(FIRST, '?draft=true');
    const parent = await create(
      graph(
        [
          ['start', 'textInput'],
          ['call', 'execute', { executeWorkflowId: child.id }],
        ],
        ['start>call'],
      ),
    );
    const answer = (await call(parent.id)).json<{ status: string; outputs: unknown }>();
    expect(answer.status).toBe('error');
    expect(JSON.stringify(answer.outputs)).toContain('has not been published yet');
  });
});

describe('the switch of a workflow', () => {
  it('off: refuses calls, and still runs the draft; on: answers again', async () => {
    const { id } = await create();
    await put(id, { active: false });
    expect(await read(id)).toMatchObject({ active: false, version_number: 1 });
    const refused = await call(id);
    expect(refused.statusCode).toBe(409);
    expect(refused.json()).toMatchObject({ detail: 'The workflow is switched off' });
    expect(await said(id, DRAFT)).toBe('first');
    await put(id, { active: true });
    expect(await said(id)).toBe('first');
    expect(await audit(id)).toMatchObject([
      { action: 'workflow.created' },
      { action: 'workflow.updated', details: { fields: ['active'] } },
      { action: 'workflow.updated', details: { fields: ['active'] } },
    ]);
  });

  it('is the owner’s', async () => {
    const { id } = await create();
    await shareWith(app, id, friend);
    expect((await friend.call('PUT', `/api/workflows/${id}`, { active: false })).statusCode).toBe(403);
  });
});
