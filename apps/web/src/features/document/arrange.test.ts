import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { arrange } from './arrange.ts';

type Edge = readonly [source: string, target: string, handle?: string];

function buildDocument(edges: readonly Edge[]): WorkflowDocument {
  const ids = [...new Set(edges.flatMap(([source, target]) => [source, target]))];
  return {
    nodes: ids.map((id) => ({ id, type: 'set', position: { x: 0, y: 0 }, data: { label: id } })),
    edges: edges.map(([source, target, sourceHandle], at) => ({
      id: `e${at}`,
      source,
      target,
      ...(sourceHandle === undefined ? {} : { sourceHandle }),
    })),
  };
}

const getOutputs = ({ id }: WorkflowNode) => (id.startsWith('if') ? ['true', 'false'] : ['output']);

function tidied(edges: readonly Edge[]): Record<string, { x: number; y: number }> {
  const { nodes } = arrange(buildDocument(edges), new Map(), getOutputs);
  return Object.fromEntries(nodes.map(({ id, position }) => [id, position]));
}

describe('branches stand in the order of their handles', () => {
  test.each<[string, Edge[]]>([
    [
      'a longer first branch',
      [
        ['a', 'if', 'output'],
        ['if', 't', 'true'],
        ['t', 't2'],
        ['t2', 't3'],
        ['if', 'f', 'false'],
      ],
    ],
    [
      'a longer second branch',
      [
        ['a', 'if', 'output'],
        ['if', 't', 'true'],
        ['if', 'f', 'false'],
        ['f', 'f2'],
        ['f2', 'f3'],
      ],
    ],
    [
      'the second branch drawn first',
      [
        ['a', 'if', 'output'],
        ['if', 'f', 'false'],
        ['if', 't', 'true'],
        ['t', 't2'],
      ],
    ],
    [
      'branches that meet again',
      [
        ['a', 'if'],
        ['if', 't', 'true'],
        ['if', 'f', 'false'],
        ['f', 'end'],
        ['t', 'end'],
      ],
    ],
  ])('%s', (_title, edges) => {
    const { t, f } = tidied(edges);
    expect(t?.y).toBeLessThan(f?.y ?? 0);
  });
});

test('nodes of a row do not overlap, and a node stands right of those before it', () => {
  const places = tidied([
    ['a', 'b'],
    ['a', 'c'],
    ['b', 'd'],
    ['c', 'd'],
  ]);
  expect(places['b']?.x).toBeGreaterThan((places['a']?.x ?? 0) + 220);
  expect(Math.abs((places['b']?.y ?? 0) - (places['c']?.y ?? 0))).toBeGreaterThanOrEqual(72);
  expect(places['d']?.x).toBeGreaterThan((places['c']?.x ?? 0) + 220);
});
