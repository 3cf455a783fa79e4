import type { Folder, FolderTree, WorkflowShare, WorkflowSummary } from '@millrace/contracts';
import { useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const owner = await app.user('Owner');
const other = await app.user('Other');

const create = async (body: Record<string, unknown>, user = owner) =>
  (await user.call('POST', '/folders', body)).json<Folder>();

describe('§2.2 folder', () => {
  it('§2.2: name is the display name', async () => {
    expect(await create({ name: 'Reports & more' })).toMatchObject({ name: 'Reports & more' });
  });

  it('§2.2: parent_id is the parent folder id; null means root', async () => {
    const root = await create({ name: 'root' });
    expect(root.parent_id).toBeNull();
    const child = await create({ name: 'child', parent_id: root.id });
    expect(child).toMatchObject({ parent_id: root.id });
    const moved = await owner.call('PUT', `/folders/${child.id}`, { parent_id: null });
    expect(moved.json()).toMatchObject({ parent_id: null });
  });

  it('§2.2: folders form a tree: none can lie below itself', async () => {
    const top = await create({ name: 'top' });
    const below = await create({ name: 'below', parent_id: top.id });
    const answer = await owner.call('PUT', `/folders/${top.id}`, { parent_id: below.id });
    expect(answer.statusCode).toBe(400);
  });

  it('§2.2: description is optional text', async () => {
    expect(await create({ name: 'plain' })).toMatchObject({ description: null });
    expect(await create({ name: 'told', description: 'What is in it' })).toMatchObject({
      description: 'What is in it',
    });
  });

  it('§2.2: workflows are assigned through folder_id', async () => {
    const folder = await create({ name: 'with workflow' });
    const { id } = (await owner.call('POST', '/api/workflows', { name: 'assigned' })).json<WorkflowSummary>();
    await owner.call('PUT', `/folders/${folder.id}/workflows/${id}`);
    expect((await owner.call('GET', `/api/workflows/${id}`)).json()).toMatchObject({ folder_id: folder.id });
  });

  it('§2.2: the tree response holds children and workflows for each folder', async () => {
    const me = await app.user();
    const top = await create({ name: 'a' }, me);
    await create({ name: 'b', parent_id: top.id }, me);
    const tree = (await me.call('GET', '/folders/tree')).json<FolderTree[]>();
    expect(tree).toMatchObject([
      { name: 'a', workflows: [], children: [{ name: 'b', workflows: [], children: [] }] },
    ]);
  });

  it('§2.2: a shared workflow can appear in a folder through the share', async () => {
    const { id } = (await owner.call('POST', '/api/workflows', { name: 'shared' })).json<WorkflowSummary>();
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: other.email });
    const theirs = await create({ name: 'theirs' }, other);
    await other.call('PUT', `/folders/${theirs.id}/workflows/${id}`);
    const tree = (await other.call('GET', '/folders/tree')).json<FolderTree[]>();
    expect(tree).toMatchObject([{ workflows: [{ id, folder_id: theirs.id }] }]);
    const shares = (await owner.call('GET', `/api/workflows/${id}/shares`)).json<WorkflowShare[]>();
    expect(shares).toMatchObject([{ user_id: other.id, folder_id: theirs.id, mcp_enabled: false }]);
    expect((await owner.call('GET', `/api/workflows/${id}`)).json()).toMatchObject({ folder_id: null });
  });
});
