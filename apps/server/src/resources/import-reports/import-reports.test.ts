import type { AuditEntry, ImportReport, Workflow } from '@millrace/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestUser, useTestApp } from '../../testing/index.ts';
import { shareWith } from '../workflows/testing/sharing.ts';

const app = await useTestApp();
let owner: TestUser;
let friend: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  [owner, friend, stranger] = [await app.user(), await app.user(), await app.user()];
});

/** An export of n8n with a node that cannot be converted behind one whose label changes. */
const exported = {
  name: 'Orders',
  nodes: [
    // Left out, so that the places in the file are not those in the workflow.
    { type: 'n8n-nodes-base.set', position: [0, 0] },
    {
      name: 'My Start',
      type: 'n8n-nodes-base.manualTrigger',
      typeVersion: 1,
      parameters: {},
      position: [0, 0],
      notes: 'By hand',
    },
    {
      name: 'Unknown',
      type: 'n8n-nodes-base.neverHeardOf',
      typeVersion: 1,
      parameters: {},
      position: [300, 0],
    },
  ],
  connections: { 'My Start': { main: [[{ node: 'Unknown', type: 'main', index: 0 }]] } },
};

async function importInto(user: TestUser, document: object = exported): Promise<Workflow> {
  const made = await user.call('POST', '/api/workflows/import', { document });
  expect(made.statusCode, made.body).toBe(201);
  return made.json<{ workflow: Workflow }>().workflow;
}
const buildUrl = (id: string) => `/api/workflows/${id}/import-report`;
async function fetchReport(user: TestUser, id: string): Promise<ImportReport | null> {
  const answer = await user.call('GET', buildUrl(id));
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ report: ImportReport | null }>().report;
}

describe('GET /api/workflows/{id}/import-report', () => {
  it('200 has the lines with their nodes, by what matters, and the time of the import', async () => {
    const workflow = await importInto(owner);
    const findNodeId = (type: string) => workflow.nodes.find((node) => node.type === type)?.id;
    const report = await fetchReport(owner, workflow.id);
    expect(report?.imported_at).toBe(new Date(app.clock.now).toISOString());
    const unknown = findNodeId('n8n-nodes-base.neverHeardOf') ?? findNodeId('neverHeardOf');
    const lines = report?.lines ?? [];
    expect(lines[0]).toMatchObject({ node_id: null, field: 'file.nodes.0' });
    expect(lines.find(({ message }) => message.includes('cannot run here'))).toMatchObject({
      node_id: unknown,
      field: 'nodes.1.type',
    });
    const names = lines.filter(({ field }) => /\.(label|notes)$/.test(field));
    expect(names).toHaveLength(2);
    expect(lines.slice(-2)).toEqual(names);
    expect(names.map(({ node_id }) => node_id)).toEqual([findNodeId('textInput'), findNodeId('textInput')]);
  });

  it('200 has what the answer of the import says, in the same order', async () => {
    const made = await owner.call('POST', '/api/workflows/import', { document: exported });
    const { workflow, warnings } = made.json<{ workflow: Workflow; warnings: object[] }>();
    const report = await fetchReport(owner, workflow.id);
    expect(report?.lines.map(({ field, message }) => ({ field, message }))).toEqual(warnings);
  });

  it('200 without a report for a workflow that was not imported, was imported unchanged, or is a copy', async () => {
    const made = await owner.call('POST', '/api/workflows', { name: 'made' });
    expect(await fetchReport(owner, made.json<Workflow>().id)).toBeNull();
    const node = { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } };
    expect(await fetchReport(owner, (await importInto(owner, { nodes: [node], edges: [] })).id)).toBeNull();
    const imported = await importInto(owner);
    const copy = await owner.call('POST', `/api/workflows/${imported.id}/duplicate`, {});
    expect(await fetchReport(owner, copy.json<Workflow>().id)).toBeNull();
  });

  it('200 for people whom it is shared with, 404 for others', async () => {
    const { id } = await importInto(owner);
    await shareWith(app, id, friend);
    expect(await fetchReport(friend, id)).not.toBeNull();
    expect((await stranger.call('GET', buildUrl(id))).statusCode).toBe(404);
  });
});

describe('DELETE /api/workflows/{id}/import-report', () => {
  it('204 removes it, also for a collaborator; the workflow stays as it was, so that open editors can save', async () => {
    const { id, updated_at } = await importInto(owner);
    await shareWith(app, id, friend);
    expect((await friend.call('DELETE', buildUrl(id))).statusCode).toBe(204);
    expect(await fetchReport(owner, id)).toBeNull();
    const after = (await owner.call('GET', `/api/workflows/${id}`)).json<Workflow>();
    expect(after.updated_at).toBe(updated_at);
  });

  it('204 once more without an entry in the audit log; the first time it has one', async () => {
    const { id } = await importInto(owner);
    for (let time = 1; time <= 2; time++)
      expect((await owner.call('DELETE', buildUrl(id))).statusCode).toBe(204);
    const log = await owner.call('GET', `/api/audit?object_id=${id}&action=workflow.updated`);
    const { items } = log.json<{ items: AuditEntry[] }>();
    expect(items).toMatchObject([{ details: { fields: ['import_report'] } }]);
  });

  it('404 for people who cannot see the workflow, and the report stays', async () => {
    const { id } = await importInto(owner);
    expect((await stranger.call('DELETE', buildUrl(id))).statusCode).toBe(404);
    expect(await fetchReport(owner, id)).not.toBeNull();
  });
});

describe('POST /api/workflows/convert', () => {
  const convert = (document: object) => owner.call('POST', '/api/workflows/convert', { document });
  type Converted = { nodes: { id: string; type: string }[]; edges: object[]; report: ImportReport | null };

  it('200 has the nodes of an export of n8n and what was changed, and stores nothing', async () => {
    const count = async () => (await owner.call('GET', '/api/workflows')).json<Workflow[]>().length;
    const before = await count();
    const answer = await convert(exported);
    expect(answer.statusCode, answer.body).toBe(200);
    const { nodes, edges, report } = answer.json<Converted>();
    expect(nodes[0]?.type).toBe('textInput');
    expect(edges).toHaveLength(1);
    const changed = report?.lines.find(({ message }) => message.includes('cannot run here'));
    expect(changed?.node_id).toBe(nodes[1]?.id);
    expect(report?.lines.some(({ field }) => field === 'settings.strict_references')).toBe(true);
    expect(await count()).toBe(before);
  });

  it('200 without a report for a graph that needs no change; credentials of others are left out', async () => {
    const node = { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } };
    expect((await convert({ nodes: [node], edges: [] })).json()).toEqual({
      nodes: [node],
      edges: [],
      report: null,
    });
    const made = await stranger.call('POST', '/api/credentials', {
      name: 'theirs',
      type: 'bearer',
      config: { bearer_token: 'x' },
    });
    const credentialId = made.json<{ id: string }>().id;
    const ask = { id: 'ask', type: 'http', position: { x: 0, y: 0 }, data: { label: 'ask', credentialId } };
    const answer = (await convert({ nodes: [ask], edges: [] })).json<Converted>();
    expect(JSON.stringify(answer.nodes)).not.toContain(credentialId);
    expect(answer.report?.lines).toHaveLength(1);
  });

  it('422 says what a document is not', async () => {
    const answer = await convert({ hello: 1 });
    expect(answer.statusCode).toBe(422);
    expect(answer.json<{ detail: { loc: string[] }[] }>().detail[0]?.loc).toEqual([
      'body',
      'document',
      'nodes',
    ]);
  });
});
