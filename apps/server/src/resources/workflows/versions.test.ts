import type { VersionDiff, Workflow, WorkflowVersionSummary } from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import { newOrderedId } from '../../core/ids.ts';
import { runs } from '../../database/schema/index.ts';
import { useTestApp } from '../../testing/index.ts';
import { shareWith } from './testing/sharing.ts';

const app = await useTestApp();
const owner = await app.user('Olga');
const friend = await app.user();
const stranger = await app.user();

const UNKNOWN = '11111111-1111-4111-8111-111111111111';
const node = (id: string, data: Record<string, unknown> = {}) => ({
  id,
  type: 'set',
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});
const edge = (source: string, target: string) => ({ id: `${source}-${target}`, source, target });

async function create(body: Record<string, unknown> = {}): Promise<Workflow> {
  const workflow = (await owner.call('POST', '/api/workflows', { name: 'One', ...body })).json<Workflow>();
  await shareWith(app, workflow.id, friend);
  return workflow;
}
const put = async (id: string, body: unknown, user = owner) =>
  (await user.call('PUT', `/api/workflows/${id}`, body)).json<Workflow>();
const list = async (id: string, query = '') =>
  (await owner.call('GET', `/api/workflows/${id}/versions${query}`)).json<WorkflowVersionSummary[]>();
const versionUrl = (workflow: Workflow, version_id: string) =>
  `/api/workflows/${workflow.id}/versions/${version_id}`;

describe('GET /api/workflows/{id}/versions', () => {
  it('200 lists former versions, highest number first, without the current one', async () => {
    const workflow = await create({ nodes: [node('a')] });
    expect(await list(workflow.id)).toEqual([]);
    await put(workflow.id, { nodes: [node('a'), node('b')] });
    await put(workflow.id, { name: 'Two' }, friend);
    await put(workflow.id, { auth_type: 'anonymous' });
    const versions = await list(workflow.id);
    expect(versions.map((version) => version.version_number)).toEqual([3, 2, 1]);
    expect(versions.map((version) => version.name)).toEqual(['Two', 'One', 'One']);
    expect(versions.map((version) => version.created_by_id)).toEqual([friend.id, owner.id, owner.id]);
    expect(versions[1]).toMatchObject({ created_by_name: 'Olga', workflow_id: workflow.id });
  });

  it('a save that changes nothing makes no version', async () => {
    const workflow = await create({ nodes: [node('a')] });
    await put(workflow.id, { nodes: [node('a')], name: 'One', auth_type: 'jwt' });
    expect(await list(workflow.id)).toEqual([]);
  });

  it('200 pages', async () => {
    const workflow = await create();
    for (let n = 0; n < 5; n++) await put(workflow.id, { name: `N${n}` });
    const numbers = (await list(workflow.id, '?limit=2&offset=1')).map((version) => version.version_number);
    expect(numbers).toEqual([4, 3]);
  });

  it('422 for a bad limit', async () => {
    const workflow = await create();
    const url = `/api/workflows/${workflow.id}/versions`;
    expect((await owner.call('GET', `${url}?limit=0`)).statusCode).toBe(422);
  });
});

describe('GET /api/workflows/{id}/versions/{version_id}', () => {
  it('200 with the graph and settings of then', async () => {
    const workflow = await create({ nodes: [node('a')] });
    await put(workflow.id, { nodes: [node('z')], cache_ttl_seconds: 60 });
    const answer = await owner.call('GET', versionUrl(workflow, workflow.version_id));
    expect(answer.json()).toMatchObject({
      version_number: 1,
      nodes: [node('a')],
      edges: [],
      cache_ttl_seconds: null,
      auth_header_value_set: false,
    });
  });

  it('§5.8: hides auth_header_value from collaborators', async () => {
    const workflow = await put((await create()).id, { auth_header_value: 'top-secret' });
    const url = versionUrl(workflow, workflow.version_id);
    expect((await owner.call('GET', url)).json()).toMatchObject({ auth_header_value: 'top-secret' });
    const seen = await friend.call('GET', url);
    expect(seen.json()).toMatchObject({ auth_header_value: null, auth_header_value_set: true });
    expect(seen.body).not.toContain('top-secret');
  });

  it('404 for an unknown version, a version of another workflow, and a stranger', async () => {
    const [one, other] = [await create(), await create()];
    expect((await owner.call('GET', versionUrl(one, UNKNOWN))).statusCode).toBe(404);
    expect((await owner.call('GET', versionUrl(one, other.version_id))).statusCode).toBe(404);
    expect((await stranger.call('GET', versionUrl(one, one.version_id))).statusCode).toBe(404);
    expect((await owner.call('GET', versionUrl(one, 'x'))).statusCode).toBe(422);
  });
});

describe('GET /api/workflows/{id}/versions/{version_id}/diff', () => {
  it('200 names what happened to nodes, edges and settings on the way to the current version', async () => {
    const workflow = await create({
      nodes: [node('a', { x: 1 }), node('b'), node('c')],
      edges: [edge('a', 'b'), edge('b', 'c')],
    });
    const now = await put(workflow.id, {
      name: 'Renamed',
      rate_limit_requests: 5,
      nodes: [{ ...node('a', { x: 2, y: 3 }), position: { x: 9, y: 0 } }, node('b'), node('d')],
      edges: [edge('a', 'b'), edge('b', 'd')],
    });
    const diff = (
      await owner.call('GET', `${versionUrl(workflow, workflow.version_id)}/diff`)
    ).json<VersionDiff>();
    expect(diff).toMatchObject({
      version_id: workflow.version_id,
      version_number: 1,
      compared_to_version_id: now.version_id,
      compared_to_version_number: 2,
    });
    expect(diff.node_changes.map((change) => [change.node_id, change.change_type])).toEqual([
      ['a', 'modified'],
      ['c', 'removed'],
      ['d', 'added'],
    ]);
    expect(diff.node_changes[0]?.changes).toEqual([
      { type: 'node_field', field: 'position', old_value: { x: 0, y: 0 }, new_value: { x: 9, y: 0 } },
      { type: 'field', field: 'data.x', old_value: 1, new_value: 2 },
      { type: 'field', field: 'data.y', old_value: null, new_value: 3 },
    ]);
    expect(diff.edge_changes.map((change) => [change.edge_id, change.change_type])).toEqual([
      ['b-c', 'removed'],
      ['b-d', 'added'],
    ]);
    expect(diff.config_changes).toEqual([
      { type: 'config', field: 'name', old_value: 'One', new_value: 'Renamed' },
      { type: 'config', field: 'rate_limit_requests', old_value: null, new_value: 5 },
    ]);
  });

  it('200 compares any two versions, also backwards', async () => {
    const workflow = await create({ nodes: [node('a')] });
    const second = await put(workflow.id, { nodes: [node('a'), node('b')] });
    await put(workflow.id, { nodes: [] });
    const url = `${versionUrl(workflow, second.version_id)}/diff?compare_to=${workflow.version_id}`;
    const diff = (await owner.call('GET', url)).json<VersionDiff>();
    expect(diff.node_changes.map((change) => [change.node_id, change.change_type])).toEqual([
      ['b', 'removed'],
    ]);
  });

  it('§5.8: tells a collaborator nothing of auth_header_value', async () => {
    const workflow = await create();
    await put(workflow.id, { auth_header_value: 'top-secret' });
    const url = `${versionUrl(workflow, workflow.version_id)}/diff`;
    expect((await owner.call('GET', url)).json().config_changes[0].new_value).toBe('top-secret');
    expect((await friend.call('GET', url)).json().config_changes).toEqual([]);
  });

  it('404 when either version is of another workflow', async () => {
    const [one, other] = [await create(), await create()];
    const url = `${versionUrl(one, one.version_id)}/diff?compare_to=${other.version_id}`;
    expect((await owner.call('GET', url)).statusCode).toBe(404);
    expect((await stranger.call('GET', `${versionUrl(one, one.version_id)}/diff`)).statusCode).toBe(404);
  });
});

describe('POST /api/workflows/{id}/versions/{version_id}/revert', () => {
  it('200 makes the former state current as a new version and destroys none', async () => {
    const workflow = await create({ nodes: [node('a')], description: 'before' });
    const second = await put(workflow.id, {
      name: 'Two',
      description: 'after',
      nodes: [],
      auth_type: 'anonymous',
    });
    const answer = await owner.call('POST', `${versionUrl(workflow, workflow.version_id)}/revert`, {
      confirm: true,
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      name: 'One',
      description: 'before',
      nodes: [node('a')],
      auth_type: 'jwt',
      version_number: 3,
    });
    expect(Date.parse(answer.json().updated_at)).toBeGreaterThan(Date.parse(second.updated_at));
    expect((await list(workflow.id)).map((version) => version.id)).toEqual([
      second.version_id,
      workflow.version_id,
    ]);
  });

  it('tells other parts of the process', async () => {
    const workflow = await create();
    await put(workflow.id, { name: 'Two' });
    const heard: string[] = [];
    const end = app.services.broadcast.subscribe('workflow_changed', (id) => heard.push(id));
    await owner.call('POST', `${versionUrl(workflow, workflow.version_id)}/revert`, { confirm: true });
    end();
    expect(heard).toEqual([workflow.id]);
  });

  it('422 without confirmation, 403 for a collaborator, 404 for a stranger', async () => {
    const workflow = await create();
    const url = `${versionUrl(workflow, workflow.version_id)}/revert`;
    expect((await owner.call('POST', url, { confirm: false })).statusCode).toBe(422);
    expect((await owner.call('POST', url)).statusCode).toBe(422);
    expect((await friend.call('POST', url, { confirm: true })).statusCode).toBe(403);
    expect((await stranger.call('POST', url, { confirm: true })).statusCode).toBe(404);
    expect(
      (await owner.call('POST', `${versionUrl(workflow, UNKNOWN)}/revert`, { confirm: true })).statusCode,
    ).toBe(404);
  });
});

describe('DELETE /api/workflows/{id}/versions', () => {
  const insertRun = async (workflow: Workflow, state: number) => {
    const id = newOrderedId(Date.now());
    await app.services.database.db.insert(runs).values({
      id,
      workflow_id: workflow.id,
      version_id: workflow.version_id,
      state,
      status: state === 3 ? 'success' : 'pending',
      input: '{}',
      started_at: new Date(),
    });
    return id;
  };

  it('204 forgets former versions, keeps the current one and those of unfinished runs', async () => {
    const first = await create({ nodes: [node('a')] });
    const second = await put(first.id, { name: 'Two' });
    const third = await put(first.id, { name: 'Three' });
    await put(first.id, { name: 'Four' });
    await insertRun(second, 2);
    const finished = await insertRun(third, 3);
    const answer = await owner.call('DELETE', `/api/workflows/${first.id}/versions`);
    expect(answer.statusCode).toBe(204);
    expect((await list(first.id)).map((version) => version.id)).toEqual([second.version_id]);
    expect((await owner.call('GET', `/api/workflows/${first.id}`)).json()).toMatchObject({
      name: 'Four',
      version_number: 4,
      nodes: [node('a')],
    });
    const kept = await app.services.database.db.select({ id: runs.id }).from(runs);
    expect(kept.map((run) => run.id)).toContain(finished);
  });

  it('numbers continue where they were', async () => {
    const workflow = await create();
    await put(workflow.id, { name: 'Two' });
    await owner.call('DELETE', `/api/workflows/${workflow.id}/versions`);
    expect(await put(workflow.id, { name: 'Three' })).toMatchObject({ version_number: 3 });
  });
});
