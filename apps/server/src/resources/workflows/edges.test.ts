import type { ImportWarning, Workflow } from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../testing/index.ts';

const app = await useTestApp();
const owner = await app.user();

const node = (id: string, type = 'set', data: Record<string, unknown> = {}) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});
const NODES = [
  node('start', 'textInput'),
  node('pick', 'switch', { expression: '$start.body.kind', cases: ['a', 'b'] }),
  node('first'),
  node('second', 'set', { mappings: [{ key: 'got', value: 'b' }] }),
  node('rest'),
];
const BARE = [
  { source: 'start', target: 'pick' },
  { source: 'pick', target: 'first', sourceHandle: '0' },
  { source: 'pick', target: 'second', sourceHandle: '1', targetHandle: null },
  { source: 'pick', target: 'rest', sourceHandle: 'default', targetHandle: 'input' },
];
const NORMAL = [
  { id: 'edge_start_pick_0', source: 'start', target: 'pick' },
  { id: 'edge_pick_first_1', source: 'pick', target: 'first', sourceHandle: 'case-0' },
  { id: 'edge_pick_second_2', source: 'pick', target: 'second', sourceHandle: 'case-1' },
  { id: 'edge_pick_rest_3', source: 'pick', target: 'rest', sourceHandle: 'default', targetHandle: 'input' },
];

const read = async (id: string) => (await owner.call('GET', `/api/workflows/${id}`)).json<Workflow>();
const put = async (id: string, body: unknown) => {
  const answer = await owner.call('PUT', `/api/workflows/${id}`, body);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<Workflow>();
};

async function create(body: Record<string, unknown> = {}): Promise<Workflow> {
  const answer = await owner.call('POST', '/api/workflows', { name: 'Edges', ...body });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Workflow>();
}

describe('design: graph leniency', () => {
  it('POST gives edges an id each and handles the names of the definitions', async () => {
    const { id, edges } = await create({ nodes: NODES, edges: BARE });
    expect(edges).toEqual(NORMAL);
    expect((await read(id)).edges).toEqual(NORMAL);
  });

  it('PUT does so too, and the graph runs', async () => {
    const { id } = await create();
    expect((await put(id, { auth_type: 'anonymous', nodes: NODES, edges: BARE })).edges).toEqual(NORMAL);
    const run = await app.call('POST', `/api/workflows/${id}/execute`, { kind: 'b' });
    expect(run.json()).toMatchObject({ status: 'success', outputs: { second: { got: 'b' } } });
  });

  it('PUT of edges alone reads the handles by the stored nodes', async () => {
    const { id } = await create({ nodes: NODES });
    expect((await put(id, { edges: BARE })).edges).toEqual(NORMAL);
  });

  it('ids that are given stay, and a made one keeps clear of them', async () => {
    const taken = { id: 'edge_start_pick_1', source: 'start', target: 'first' };
    const { edges } = await create({ nodes: NODES, edges: [taken, { source: 'start', target: 'pick' }] });
    expect(edges.map(({ id }) => id)).toEqual(['edge_start_pick_1', 'edge_start_pick_1_2']);
  });

  it('ids made of long ids are not longer than ids may be, also with a number behind', async () => {
    const [long, other] = [`${'a'.repeat(254)}1`, `${'a'.repeat(254)}2`];
    const edge = { source: long, target: other };
    const { edges } = await create({ nodes: [node(long), node(other)], edges: [edge, edge] });
    expect(edges.every(({ id }) => id.length <= 255)).toBe(true);
    expect(new Set(edges.map(({ id }) => id)).size).toBe(2);
  });

  it('ids that are numbers are kept as text, by POST, PUT and import alike', async () => {
    const numbered = {
      nodes: [
        { ...node('start', 'textInput'), id: 1 },
        { ...node('end'), id: 2 },
      ],
      edges: [{ id: 7, source: 1, target: 2 }],
    };
    const texts = { nodes: [{ id: '1' }, { id: '2' }], edges: [{ id: '7', source: '1', target: '2' }] };
    const created = await create(numbered);
    expect(created).toMatchObject(texts);
    expect(await put((await create()).id, numbered)).toMatchObject(texts);
    const imported = await owner.call('POST', '/api/workflows/import', numbered);
    expect(imported.json<{ workflow: Workflow }>().workflow).toMatchObject(texts);
    const run = await owner.call('POST', `/api/workflows/${created.id}/execute`, {});
    expect(run.json()).toMatchObject({ status: 'success', outputs: { end: {} } });
  });

  it('an id that is neither text nor number is refused by its field', async () => {
    const bodies = [{ nodes: [{ ...node('a'), id: true }] }, { edges: [{ source: 1, target: null }] }];
    for (const [index, body] of bodies.entries()) {
      const answer = await owner.call('POST', '/api/workflows', { name: 'Edges', ...body });
      expect(answer.statusCode).toBe(422);
      expect(answer.json<{ detail: unknown }>().detail).toMatchObject([
        {
          loc: index === 0 ? ['body', 'nodes', 0, 'id'] : ['body', 'edges', 0, 'target'],
          msg: 'must be a text or a number',
        },
      ]);
    }
  });

  it('handles that no definition knows stay as they are written', async () => {
    const edges = [
      { id: 'a', source: 'pick', target: 'first', sourceHandle: '7' },
      { id: 'b', source: 'pick', target: 'first', sourceHandle: 'error' },
      { id: 'c', source: 'unknown', target: 'first', sourceHandle: '0' },
    ];
    const nodes = [...NODES, node('unknown', 'someFutureNode')];
    expect((await create({ nodes, edges })).edges).toEqual(edges);
  });

  it('an import says which handles it renamed', async () => {
    const answer = await owner.call('POST', '/api/workflows/import', { nodes: NODES, edges: BARE });
    const { workflow, warnings } = answer.json<{ workflow: Workflow; warnings: ImportWarning[] }>();
    expect(workflow.edges).toEqual(NORMAL);
    expect(warnings).toContainEqual({
      field: 'edges.2.sourceHandle',
      message: 'The handle "1" is called "case-1" here and was renamed',
    });
  });
});
