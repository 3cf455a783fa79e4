import type { ImportWarning, SavedWorkflow, Workflow } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { graph } from '../../resources/executions/testing/workflows.ts';
import { type TestUser, useTestApp } from '../../testing/test-app.ts';

const app = await useTestApp();
const ann = await app.user();
const ben = await app.user();

let count = 0;
const nextId = () => `shared-${(count += 1)}`;
const hookGraph = (id: string) =>
  graph(
    [
      [id, 'webhookTrigger', { label: 'hook' }],
      ['out', 'output', { message: '$hook.body' }],
    ],
    [`${id}>out`],
  );
const create = (user: TestUser, id: string) =>
  user.call('POST', '/api/workflows', { name: `Flow of ${id}`, ...hookGraph(id) });
const send = (id: string) =>
  app.app.inject({ method: 'POST', url: `/api/webhooks/${id}`, payload: { order: 1 } });

async function countRuns(workflow_id: string): Promise<number> {
  const { rows } = await app.services.database.sql.query<{ n: number }>({
    text: 'SELECT count(*)::int AS n FROM runs WHERE workflow_id = $1',
    values: [workflow_id],
  });
  return rows[0]?.n ?? 0;
}

const findHook = ({ nodes }: Pick<Workflow, 'nodes'>): string =>
  nodes.find(({ type }) => type === 'webhookTrigger')?.id ?? '';

/** The hook still leads to the other node, and a delivery to its address starts this workflow. */
async function expectOwnAddress(workflow: Workflow, former: string): Promise<void> {
  const hook = findHook(workflow);
  expect(hook).toMatch(/^[0-9a-z]{16}$/);
  expect(hook).not.toBe(former);
  expect(workflow.edges).toMatchObject([{ source: hook, target: 'out' }]);
  expect((await send(hook)).statusCode).toBe(200);
  expect(await countRuns(workflow.id)).toBe(1);
}

describe('the address of a webhook node', () => {
  test('belongs to the workflow that publishes it first; another is refused with the node and the way out', async () => {
    const id = nextId();
    expect((await create(ann, id)).statusCode).toBe(201);
    const refused = await create(ben, id);
    expect(refused.statusCode).toBe(422);
    expect(refused.json()).toMatchObject({
      detail: [
        { loc: ['body', 'nodes', 0, 'id'], type: 'address_taken', msg: expect.stringContaining('"hook"') },
      ],
    });
    const draft = await ben.call('POST', '/api/workflows?draft=true', { name: 'Draft', ...hookGraph(id) });
    const { id: draft_id } = draft.json<Workflow>();
    const published = await ben.call('PUT', `/api/workflows/${draft_id}`, hookGraph(id));
    expect(published.statusCode).toBe(422);
  });

  test('is never inherited: not after the node was removed, nor after the workflow was deleted', async () => {
    const id = nextId();
    const first = (await create(ann, id)).json<Workflow>();
    const without = graph([['out', 'output', {}]], []);
    expect((await ann.call('PUT', `/api/workflows/${first.id}`, without)).statusCode).toBe(200);
    expect((await create(ben, id)).statusCode).toBe(422);
    expect((await ann.call('PUT', `/api/workflows/${first.id}`, hookGraph(id))).statusCode).toBe(200);
    expect((await send(id)).statusCode).toBe(200);
    expect((await ann.call('DELETE', `/api/workflows/${first.id}`)).statusCode).toBe(204);
    expect((await create(ben, id)).statusCode).toBe(422);
    expect((await send(id)).statusCode).toBe(404);
  });

  test('stays when a version of the same workflow is restored', async () => {
    const id = nextId();
    const first = (await create(ann, id)).json<Workflow>();
    await ann.call('PUT', `/api/workflows/${first.id}`, graph([['out', 'output', {}]], []));
    const versions = (await ann.call('GET', `/api/workflows/${first.id}/versions`)).json<
      { id: string; version_number: number }[]
    >();
    const original = versions.find(({ version_number }) => version_number === 1);
    const restored = await ann.call('POST', `/api/workflows/${first.id}/versions/${original?.id}/revert`, {
      confirm: true,
    });
    expect(restored.statusCode, restored.body).toBe(200);
    expect(findHook(restored.json<SavedWorkflow>())).toBe(id);
  });

  test('of two publications at once belongs to one', async () => {
    const id = nextId();
    const answers = await Promise.all([create(ann, id), create(ben, id)]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 422]);
  });
});

describe('a graph that becomes another workflow has addresses of its own', () => {
  test('an imported file, with a line that says so', async () => {
    const id = nextId();
    await create(ann, id);
    const imported = await ben.call('POST', '/api/workflows/import', { name: 'Same file', ...hookGraph(id) });
    const { workflow, warnings } = imported.json<{ workflow: Workflow; warnings: ImportWarning[] }>();
    await expectOwnAddress(workflow, id);
    expect(warnings).toContainEqual({
      field: 'nodes.0.id',
      message: expect.stringContaining(findHook(workflow)),
    });
  });

  test('a duplicate, whose messages of the stream follow', async () => {
    const id = nextId();
    const first = (await create(ann, id)).json<Workflow>();
    const sse_node_config = { [id]: { send_start: true, start_message: 'begins' } };
    await ann.call('PUT', `/api/workflows/${first.id}`, { sse_node_config });
    const copy = (await ann.call('POST', `/api/workflows/${first.id}/duplicate`, {})).json<Workflow>();
    await expectOwnAddress(copy, id);
    expect(Object.keys(copy.sse_node_config)).toEqual([findHook(copy)]);
    expect(await countRuns(first.id)).toBe(0);
  });
});
