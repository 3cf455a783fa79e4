import { createWorkflow } from '@millrace/contracts';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { QUICK_STARTS } from './quick-starts.ts';

describe('quick starts', () => {
  it.each(QUICK_STARTS.map((start) => [start.name, start] as const))(
    '%s is a graph that the server takes',
    (name, start) => {
      expect(createWorkflow.body.safeParse({ name, nodes: start.nodes, edges: start.edges }).success).toBe(
        true,
      );
    },
  );

  it.each(QUICK_STARTS.flatMap(({ nodes }) => nodes).map((node) => [node.id, node] as const))(
    'the parameters of %s fit its type',
    (_, node) => {
      const { label: __, ...params } = node.data;
      expect(catalog.get(node.type)?.params.safeParse(params).error).toBeUndefined();
    },
  );

  it('connects nodes that exist', () => {
    for (const { nodes, edges } of QUICK_STARTS) {
      const ids = new Set(nodes.map((node) => node.id));
      expect(edges.every((edge) => ids.has(edge.source) && ids.has(edge.target))).toBe(true);
    }
  });
});
