import type { RunGraph } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../../testing/test-app.ts';
import { createWorkflow, ECHO, executeUrl, graph } from '../testing/workflows.ts';

const app = await useTestApp();
const owner = await app.user();
const stranger = await app.user();

const OTHER = graph([['begin', 'textInput']], []);

async function startRun(id: string, headers: Record<string, string> = {}): Promise<string> {
  await owner.call('POST', executeUrl(id), { text: 'x' }, headers);
  const list = await owner.call('GET', `/api/workflows/${id}/history`);
  return list.json<{ items: { id: string }[] }>().items[0]?.id ?? '';
}
const read = (run: string, user = owner) => user.call('GET', `/api/workflows/history/all/${run}/graph`);
const save = (id: string, content: typeof ECHO, rest = '') =>
  owner.call('PUT', `/api/workflows/${id}${rest}`, { ...content });

describe('GET /api/workflows/history/all/{entry_id}/graph', () => {
  test('is the graph of the version that ran, though another one was published since', async () => {
    const id = await createWorkflow(owner, ECHO);
    const run = await startRun(id);
    await save(id, OTHER);
    const answer = await read(run);
    expect(answer.statusCode).toBe(200);
    expect(answer.json<RunGraph>()).toEqual({
      version_id: expect.any(String),
      version_number: 2,
      is_draft: false,
      nodes: ECHO.nodes,
      edges: ECHO.edges,
    });
  });

  test('is the draft that ran, though the draft was changed since', async () => {
    const id = await createWorkflow(owner, OTHER);
    await save(id, ECHO, '?draft=true');
    const run = await startRun(id, { 'x-run-draft': 'true' });
    await save(id, OTHER, '?draft=true');
    const found = (await read(run)).json<RunGraph>();
    expect(found).toMatchObject({ version_number: null, is_draft: true });
    expect(found.nodes.map((node) => node.id)).toEqual(['start', 'shape', 'out']);
  });

  test('is gone with its version, and says so', async () => {
    const id = await createWorkflow(owner, ECHO);
    const run = await startRun(id);
    await save(id, OTHER);
    await owner.call('DELETE', `/api/workflows/${id}/versions`);
    const answer = await read(run);
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ detail: 'The version of this run has been deleted' });
  });

  test('of runs that a person may not see is as missing as that of no run', async () => {
    const run = await startRun(await createWorkflow(owner, ECHO));
    const hidden = await read(run, stranger);
    expect([hidden.statusCode, hidden.json<{ detail: string }>().detail]).toEqual([404, 'Run not found']);
    expect((await read(crypto.randomUUID())).statusCode).toBe(404);
  });

  test('refuses what is no id', async () => {
    expect((await read('latest')).statusCode).toBe(422);
  });
});
