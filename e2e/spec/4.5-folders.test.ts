import type { Folder, FolderContents, FolderTree, WorkflowSummary } from '@millrace/contracts';
import { shareTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let app: TestApp;
let me: TestUser;
beforeAll(async () => {
  app = await shareTestApp();
});
beforeEach(async () => {
  me = await app.user();
});
afterAll(() => app.close());

const folder = async (name: string, parent_id?: string) =>
  (await me.call('POST', '/folders', { name, parent_id })).json<Folder>().id;
const workflow = async (name: string) =>
  (await me.call('POST', '/api/workflows', { name })).json<WorkflowSummary>().id;

describe('§4.5 folders', () => {
  it('§4.5: GET /folders lists root folders only', async () => {
    const root = await folder('root');
    await folder('inner', root);
    expect((await me.call('GET', '/folders')).json<Folder[]>().map((item) => item.name)).toEqual(['root']);
  });

  it('§4.5: GET /folders/tree is the full tree with children and workflows', async () => {
    const root = await folder('root');
    const inner = await folder('inner', root);
    const id = await workflow('w');
    await me.call('PUT', `/folders/${inner}/workflows/${id}`);
    expect((await me.call('GET', '/folders/tree')).json<FolderTree[]>()).toMatchObject([
      { id: root, children: [{ id: inner, workflows: [{ id }] }] },
    ]);
  });

  it('§4.5: GET /folders/{id} is one folder with contents', async () => {
    const root = await folder('root');
    const inner = await folder('inner', root);
    expect((await me.call('GET', `/folders/${root}`)).json<FolderContents>()).toMatchObject({
      id: root,
      children: [{ id: inner }],
      workflows: [],
    });
  });

  it('§4.5: POST /folders creates; parent_id is optional', async () => {
    expect((await me.call('POST', '/folders', { name: 'x' })).statusCode).toBe(201);
  });

  it('§4.5: PUT /folders/{id} updates name or parent_id', async () => {
    const [a, b] = [await folder('a'), await folder('b')];
    const answer = await me.call('PUT', `/folders/${a}`, { name: 'renamed', parent_id: b });
    expect(answer.json()).toMatchObject({ name: 'renamed', parent_id: b });
  });

  it('§4.5: DELETE /folders/{id} deletes, cascading', async () => {
    const root = await folder('root');
    const inner = await folder('inner', root);
    expect((await me.call('DELETE', `/folders/${root}`)).statusCode).toBe(204);
    expect((await me.call('GET', `/folders/${inner}`)).statusCode).toBe(404);
  });

  it('§4.5: DELETE /folders/{id} schedules the workflows, also when the id is written in capitals', async () => {
    const [root, id] = [await folder('root'), await workflow('w')];
    await me.call('PUT', `/folders/${root}/workflows/${id}`);
    expect((await me.call('DELETE', `/folders/${root.toUpperCase()}`)).statusCode).toBe(204);
    expect((await me.call('GET', `/api/workflows/${id}`)).json()).toMatchObject({
      folder_id: null,
      scheduled_for_deletion: expect.any(String),
    });
  });

  it('§4.5: a name that is not whole text is stored as it is answered', async () => {
    const answer = await me.call('POST', '/folders', { name: 'half \ud83d' });
    expect(answer.json()).toMatchObject({ name: 'half \ufffd' });
  });

  it('§4.5: PUT and DELETE of a workflow move it into a folder and out of it', async () => {
    const [root, id] = [await folder('root'), await workflow('w')];
    const moved = await me.call('PUT', `/folders/${root}/workflows/${id}`);
    expect(moved.json()).toMatchObject({ id, folder_id: root });
    const removed = await me.call('DELETE', `/folders/workflows/${id}/folder`);
    expect(removed.json()).toMatchObject({ id, folder_id: null });
  });

  it('§4.5: GET /folders/{id}/export is a ZIP of folder and all sub-folders', async () => {
    const root = await folder('root');
    await folder('inner', root);
    const answer = await me.call('GET', `/folders/${root}/export`);
    expect(answer.headers['content-type']).toBe('application/zip');
    expect(answer.rawPayload.subarray(0, 2).toString()).toBe('PK');
    expect(answer.rawPayload.toString('latin1')).toContain('root/inner/');
  });

  it('§4.5: PUT schedule-deletion sets scheduled_for_deletion and clears folder_id', async () => {
    const [root, id] = [await folder('root'), await workflow('w')];
    await me.call('PUT', `/folders/${root}/workflows/${id}`);
    const answer = await me.call('PUT', `/workflows/${id}/schedule-deletion`);
    expect(answer.json()).toMatchObject({ folder_id: null, scheduled_for_deletion: expect.any(String) });
  });

  it('§4.5: DELETE schedule-deletion restores', async () => {
    const id = await workflow('w');
    await me.call('PUT', `/workflows/${id}/schedule-deletion`);
    const answer = await me.call('DELETE', `/workflows/${id}/schedule-deletion`);
    expect(answer.json()).toMatchObject({ scheduled_for_deletion: null });
  });

  it('the same paths answer under /api', async () => {
    const id = await workflow('w');
    expect((await me.call('PUT', `/api/workflows/${id}/schedule-deletion`)).statusCode).toBe(200);
    expect((await me.call('GET', '/api/folders')).statusCode).toBe(200);
  });
});
