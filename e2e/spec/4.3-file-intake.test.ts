import { createWorkflow, executeUrl, graph, useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const owner = await app.user();
const url = await app.listen();

const content = graph(
  [
    ['take', 'fileUploadTrigger', { allowedTypes: '.txt', maxSizeMb: 1 }],
    ['out', 'jsonOutputMapper', { mappings: [{ key: 'size', value: '$take.file.size' }] }],
  ],
  ['take>out'],
);

async function upload(path: string, text: string, filename = 'note.txt'): Promise<Response> {
  const form = new FormData();
  form.append('file', new Blob([text]), filename);
  return fetch(`${url}${path}`, { method: 'POST', body: form });
}

async function mint(): Promise<{ id: string; path: string }> {
  const id = await createWorkflow(owner, content);
  const { upload_url } = (await app.call('POST', executeUrl(id), {})).json<{ upload_url: string }>();
  return { id, path: new URL(upload_url).pathname };
}

describe('§4.3 file upload', () => {
  it('§4.3: the slot is minted when the workflow is invoked through the API', async () => {
    const { path } = await mint();
    expect(path).toMatch(/^\/api\/file-intake\/u\/[\w-]+$/);
  });

  it('§4.3: the upload consumes the slot, stores the file as a Drive file and starts the workflow synchronously', async () => {
    const { id, path } = await mint();
    const answer = await upload(path, 'hello');
    expect(answer.status).toBe(200);
    const { file, ...rest } = (await answer.json()) as { file: { id: string } };
    expect(rest).toMatchObject({ status: 'success', output: { size: 5 } });
    expect((await owner.call('GET', `/api/files/${file.id}`)).json()).toMatchObject({ workflow_id: id });
    expect((await upload(path, 'hello')).status).toBe(409);
  });

  it('§5.7: the token in the path is all that an upload needs, and it works once', async () => {
    const { path } = await mint();
    expect((await upload(`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`, 'x')).status).toBe(404);
    const answers = await Promise.all([upload(path, 'one'), upload(path, 'two')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it('§4.3: exceeding the type and size limits yields 415 and 413, and neither uses the slot up', async () => {
    const { path } = await mint();
    expect((await upload(path, 'x', 'note.csv')).status).toBe(415);
    expect((await upload(path, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
    expect((await upload(path, 'x')).status).toBe(200);
  });

  it('§4.3: a slot asked for by a caller who is not the owner runs as the owner (§5.7)', async () => {
    const { id, path } = await mint();
    await upload(path, 'hello');
    const { items } = (await owner.call('GET', `/api/workflows/${id}/history`)).json<{ items: object[] }>();
    expect(items).toMatchObject([{ trigger_source: 'file_upload', status: 'success' }]);
    expect((await owner.call('GET', '/api/files')).json()).toMatchObject({
      files: expect.arrayContaining([expect.objectContaining({ workflow_id: id, is_shared: false })]),
    });
  });
});
