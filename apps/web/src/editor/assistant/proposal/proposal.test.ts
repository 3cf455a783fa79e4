import type { ProposedChange } from '@millrace/contracts';
import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, test } from 'vitest';
import { applyChanges } from './apply-changes.ts';
import { type ChangeGroup, changeGroups } from './change-groups.ts';
import { unsoundParts } from './soundness.ts';

const node = (id: string, type = 'set', data: object = {}): WorkflowNode => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});

/** `a>b` for an edge. */
const graph = (nodes: WorkflowNode[], edges: readonly string[]): WorkflowDocument => ({
  nodes,
  edges: edges.map((id) => {
    const [source = '', target = ''] = id.split('>');
    return { id, source, target };
  }),
});

/** The changes that the server finds between two graphs. */
function diffDocuments(before: WorkflowDocument, after: WorkflowDocument): ProposedChange['changes'] {
  const ids = (one: readonly { id: string }[], other: readonly { id: string }[]) => [
    ...new Set([...one, ...other].map(({ id }) => id)),
  ];
  const classifyChange = (old: unknown, next: unknown) => (!old ? 'added' : !next ? 'removed' : 'modified');
  const find = <T extends { id: string }>(list: readonly T[], id: string) =>
    list.find((item) => item.id === id) ?? null;
  const differs = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);
  return {
    node_changes: ids(before.nodes, after.nodes).flatMap((node_id) => {
      const [old_node, new_node] = [find(before.nodes, node_id), find(after.nodes, node_id)];
      if (!differs(old_node, new_node)) return [];
      const names = new Set(Object.keys({ ...old_node?.data, ...new_node?.data }));
      const changes =
        old_node && new_node
          ? [...names]
              .filter((name) => differs(old_node.data[name], new_node.data[name]))
              .map((name) => ({
                type: 'field' as const,
                field: `data.${name}`,
                old_value: old_node.data[name],
                new_value: new_node.data[name],
              }))
          : [];
      return [{ node_id, change_type: classifyChange(old_node, new_node), old_node, new_node, changes }];
    }),
    edge_changes: ids(before.edges, after.edges).flatMap((edge_id) => {
      const [old_edge, new_edge] = [find(before.edges, edge_id), find(after.edges, edge_id)];
      return differs(old_edge, new_edge)
        ? [{ edge_id, change_type: classifyChange(old_edge, new_edge), old_edge, new_edge }]
        : [];
    }),
  };
}

const collectIds = (groups: readonly ChangeGroup[]) =>
  groups.map(({ nodes, edges }) => [
    ...nodes.map(({ node_id }) => node_id),
    ...edges.map(({ edge_id }) => edge_id),
  ]);
const sorted = ({ nodes, edges }: WorkflowDocument) => ({
  nodes: nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  edges: edges.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
});

const start = node('start', 'textInput');
const out = node('out', 'output', { message: '$start.text' });
const before = graph([start, node('shape'), out], ['start>shape', 'shape>out']);

describe('groups of changes', () => {
  test.each<[string, WorkflowDocument, string[][]]>([
    [
      'a node put between two others, with the connection that it replaces',
      graph([start, node('shape'), node('pause', 'wait'), out], ['start>shape', 'shape>pause', 'pause>out']),
      [['pause', 'shape>out', 'shape>pause', 'pause>out']],
    ],
    [
      'a removed node, with the connection that takes its place',
      graph([start, out], ['start>out']),
      [['shape', 'start>shape', 'shape>out', 'start>out']],
    ],
    [
      'a chain of new nodes as one, a change of another node apart',
      graph(
        [start, node('shape', 'set', { mappings: [] }), out, node('a'), node('b')],
        ['start>shape', 'shape>out', 'shape>a', 'a>b'],
      ),
      [['shape'], ['a', 'b', 'shape>a', 'a>b']],
    ],
    [
      'connections between nodes that stay, each by itself',
      graph([start, node('shape'), out], ['shape>out', 'start>out']),
      [['start>shape'], ['start>out']],
    ],
  ])('hold %s', (_, after, expected) => {
    expect(collectIds(changeGroups(diffDocuments(before, after)))).toEqual(expected);
  });
});

describe('accepting', () => {
  const after = graph(
    [
      start,
      node('shape', 'set', { mappings: [{ key: 'a', value: '1' }] }),
      node('pause', 'wait', { duration: 10 }),
      { ...out, data: { label: 'out', message: 'done' } },
    ],
    ['start>shape', 'shape>pause', 'pause>out'],
  );
  const groups = changeGroups(diffDocuments(before, after));

  test('all parts gives the proposal, none leaves the graph', () => {
    expect(sorted(applyChanges(before, groups))).toEqual(sorted(after));
    expect(applyChanges(before, [])).toEqual(before);
  });

  test('every selection of parts has only connections with both ends', () => {
    for (let chosen = 0; chosen < 2 ** groups.length; chosen++) {
      const document = applyChanges(
        before,
        groups.filter((_, at) => chosen & (1 << at)),
      );
      const ids = new Set(document.nodes.map(({ id }) => id));
      expect(document.edges.every(({ source, target }) => ids.has(source) && ids.has(target))).toBe(true);
    }
  });

  test('keeps what was edited meanwhile in the same node, and elsewhere', () => {
    const edited = graph(
      [start, node('shape', 'set', { note: 'mine' }), out, node('mine')],
      ['start>shape', 'shape>out', 'start>mine'],
    );
    const accepted = applyChanges(edited, groups);
    expect(accepted.nodes.find(({ id }) => id === 'shape')?.data).toEqual({
      label: 'shape',
      note: 'mine',
      mappings: [{ key: 'a', value: '1' }],
    });
    expect(accepted.edges.map(({ id }) => id)).toContain('start>mine');
  });

  test('removes a field that the proposal leaves out', () => {
    const noted = graph([start, node('shape', 'set', { note: 'x' }), out], ['start>shape', 'shape>out']);
    const [group] = changeGroups(diffDocuments(noted, before));
    expect(applyChanges(noted, group ? [group] : [])).toEqual(before);
  });
});

describe('what is left of a proposal', () => {
  const check = (after: WorkflowDocument, leftOut: string) => {
    const groups = changeGroups(diffDocuments(before, after));
    const chosen = applyChanges(
      before,
      groups.filter(({ id }) => id !== leftOut),
    );
    return unsoundParts({ current: before, whole: applyChanges(before, groups), chosen }, catalog);
  };

  test('is sound when its parts do not need each other', () => {
    const after = graph(
      [
        start,
        node('shape', 'set', { mappings: [{ key: 'a', value: '1' }] }),
        node('end', 'wait', { duration: 10 }),
        out,
      ],
      ['start>shape', 'shape>out', 'shape>end'],
    );
    expect(check(after, 'node end')).toEqual([]);
    expect(check(after, 'node shape')).toEqual([]);
  });

  test('is not when a node reads one that was left out', () => {
    const after = graph(
      [
        start,
        node('shape'),
        node('price', 'set', { mappings: [{ key: 'total', value: '1' }] }),
        { ...out, data: { label: 'out', message: '$price.total' } },
      ],
      ['start>shape', 'shape>price', 'price>out'],
    );
    expect(check(after, 'node price')).toEqual([{ kind: 'reads', reader: 'out', missing: 'price' }]);
    expect(check(after, 'node out')).toEqual([]);
  });

  test('is not when a node loses its only way', () => {
    const after = graph([start, node('shape'), out], ['start>shape', 'start>out']);
    expect(check(after, 'edge start>out')).toContainEqual({
      kind: 'problem',
      message: expect.stringContaining('"out" never runs'),
    });
    expect(check(after, 'edge shape>out')).toEqual([]);
  });
});
