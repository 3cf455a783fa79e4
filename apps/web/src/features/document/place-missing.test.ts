import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_SIZE } from './arrange.ts';
import { placeMissing } from './place-missing.ts';

const ORIGIN = { x: 0, y: 0 };
const node = (id: string, position = ORIGIN): WorkflowNode => ({ id, type: 'set', position, data: {} });
const edge = (source: string, target: string) => ({ id: `${source}-${target}`, source, target });

const doCover = (a: WorkflowNode, b: WorkflowNode) =>
  Math.abs(a.position.x - b.position.x) < DEFAULT_SIZE.width &&
  Math.abs(a.position.y - b.position.y) < DEFAULT_SIZE.height;

function coveringPairs({ nodes }: WorkflowDocument): string[] {
  return nodes.flatMap((a, index) =>
    nodes
      .slice(index + 1)
      .filter((b) => doCover(a, b))
      .map((b) => `${a.id} ${b.id}`),
  );
}

test('one node at the origin has been put there', () => {
  const document = { nodes: [node('a'), node('b', { x: 300, y: 0 })], edges: [edge('a', 'b')] };
  expect(placeMissing(document)).toBe(document);
});

test('a chain without positions is laid out from left to right', () => {
  const document = { nodes: ['c', 'a', 'b'].map((id) => node(id)), edges: [edge('a', 'b'), edge('b', 'c')] };
  const placed = new Map(placeMissing(document).nodes.map(({ id, position }) => [id, position]));
  const [a, b, c] = ['a', 'b', 'c'].map((id) => placed.get(id)?.x ?? 0);
  expect([a, b, c]).toEqual([a, b, c].toSorted((left = 0, right = 0) => left - right));
  expect(new Set([...placed.values()].map(({ y }) => y)).size).toBe(1);
});

test('nodes with a position stay, and those without stand below them', () => {
  const document = {
    nodes: [node('kept', { x: 40, y: 500 }), node('a'), node('b')],
    edges: [edge('kept', 'a')],
  };
  const { nodes } = placeMissing(document);
  expect(nodes[0]?.position).toEqual({ x: 40, y: 500 });
  for (const { position } of nodes.slice(1)) expect(position.y).toBeGreaterThanOrEqual(572);
});

test('nodes never overlap, connected or not', () => {
  const graphs = fc
    .record({
      count: fc.integer({ min: 2, max: 14 }),
      pairs: fc.array(fc.tuple(fc.nat(13), fc.nat(13)), { maxLength: 20 }),
    })
    .map(({ count, pairs }): WorkflowDocument => {
      const names = Array.from({ length: count }, (_, index) => `n${index}`);
      const edges = pairs
        .filter(([from, to]) => from < to && to < count)
        .map(([from, to], index) => ({ ...edge(`n${from}`, `n${to}`), id: String(index) }));
      return { nodes: names.map((name) => node(name)), edges };
    });
  fc.assert(
    fc.property(graphs, (document) => {
      expect(coveringPairs(placeMissing(document))).toEqual([]);
    }),
  );
});
