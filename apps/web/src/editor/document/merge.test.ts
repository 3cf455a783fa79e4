import type { JsonObject, WorkflowDocument } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { buildPlaceKey, type Conflict, merge, resolve, type Side } from './merge.ts';

const node = (id: string, data: JsonObject = {}) => ({
  id,
  type: 'set',
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});
const base: WorkflowDocument = {
  nodes: [node('a', { x: 1, y: 1 }), node('b')],
  edges: [{ id: 'e', source: 'a', target: 'b' }],
};
const withA = (data: JsonObject): WorkflowDocument => ({ ...base, nodes: [node('a', data), node('b')] });

describe('merging two edits', () => {
  it('keeps changes to different nodes', () => {
    const mine = { ...base, nodes: [node('a', { x: 2, y: 1 }), node('b')] };
    const theirs = { ...base, nodes: [node('a', { x: 1, y: 1 }), node('b', { z: 3 })] };
    expect(merge(base, mine, theirs)).toMatchObject({
      conflicts: [],
      document: {
        nodes: [
          { id: 'a', data: { x: 2 } },
          { id: 'b', data: { z: 3 } },
        ],
      },
    });
  });

  it('keeps changes to different fields of one node', () => {
    const merged = merge(base, withA({ x: 2, y: 1 }), withA({ x: 1, y: 5 }));
    expect(merged.conflicts).toEqual([]);
    expect(merged.document.nodes[0]?.data).toMatchObject({ x: 2, y: 5 });
  });

  it('names a field that both changed', () => {
    const merged = merge(base, withA({ x: 2, y: 1 }), withA({ x: 3, y: 1 }));
    expect(merged.conflicts).toEqual([{ node_id: 'a', label: 'a', field: 'x', mine: 2, theirs: 3 }]);
    expect(merged.document.nodes[0]?.data['x']).toBe(2);
  });

  it('keeps nodes that either side added and drops what either side removed untouched', () => {
    const mine = { nodes: [...base.nodes, node('c')], edges: base.edges };
    const theirs = { nodes: [base.nodes[0] ?? node('a'), node('d')], edges: [] };
    const merged = merge(base, mine, theirs);
    expect(merged.document.nodes.map((item) => item.id).sort()).toEqual(['a', 'c', 'd']);
    expect(merged.document.edges).toEqual([]);
    expect(merged.conflicts).toEqual([]);
  });

  it('keeps a node that one side changed and the other removed, and says so', () => {
    const theirs = { nodes: [node('b')], edges: [] };
    const merged = merge(base, withA({ x: 9, y: 1 }), theirs);
    expect(merged.document.nodes.map((item) => item.id)).toContain('a');
    expect(merged.conflicts).toMatchObject([{ node_id: 'a', field: null }]);
  });
});

describe('choosing sides of a merge', () => {
  const choose = (mine: WorkflowDocument, theirs: WorkflowDocument, side?: Side) => {
    const { document, conflicts } = merge(base, mine, theirs);
    const of = ([conflict]: readonly Conflict[]): Map<string, Side> =>
      side && conflict ? new Map([[buildPlaceKey(conflict), side]]) : new Map<string, Side>();
    return resolve(document, { mine, theirs }, conflicts, of(conflicts));
  };

  it('takes the chosen side of a field and keeps all other changes', () => {
    const mine = withA({ x: 2, y: 7 });
    const theirs = withA({ x: 3, y: 1 });
    expect(choose(mine, theirs).nodes[0]?.data).toMatchObject({ x: 2, y: 7 });
    expect(choose(mine, theirs, 'theirs').nodes[0]?.data).toMatchObject({ x: 3, y: 7 });
  });

  it('removes a parameter where the chosen side has none', () => {
    const mine = withA({ x: 2, y: 1 });
    const theirs = withA({ y: 1 });
    expect(choose(mine, theirs, 'theirs').nodes[0]?.data).toEqual({ label: 'a', y: 1 });
  });

  it('keeps a node that one side changed, and removes it with its edges when that is chosen', () => {
    const mine = withA({ x: 9, y: 1 });
    const theirs = { nodes: [node('b')], edges: [] };
    expect(choose(mine, theirs)).toMatchObject({ nodes: [{ id: 'a' }, { id: 'b' }], edges: [{ id: 'e' }] });
    expect(choose(mine, theirs, 'theirs')).toEqual({ nodes: [node('b')], edges: [] });
    // The same from the other side: what I removed comes back with its edges.
    expect(choose(theirs, mine)).toMatchObject({ edges: [{ id: 'e' }] });
    expect(choose(theirs, mine, 'mine')).toEqual({ nodes: [node('b')], edges: [] });
  });
});
