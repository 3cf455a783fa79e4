import { Graph, layout } from '@dagrejs/dagre';
import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { targetHandle } from './edit.ts';

export interface NodeSize {
  width: number;
  height: number;
}

export const DEFAULT_SIZE: NodeSize = { width: 220, height: 72 };
export const GAP = { rank: 72, node: 32, margin: 24 } as const;

/** Tidies up: ranks from left to right, branches one below the other. Notes and loose nodes keep their place. */
export function arrange(
  document: WorkflowDocument,
  sizes: ReadonlyMap<string, NodeSize> = new Map(),
): WorkflowDocument {
  const connected = new Set(document.edges.flatMap((edge) => [edge.source, edge.target]));
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'LR',
    ranksep: GAP.rank,
    nodesep: GAP.node,
    marginx: GAP.margin,
    marginy: GAP.margin,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of document.nodes) {
    if (connected.has(node.id)) graph.setNode(node.id, { ...(sizes.get(node.id) ?? DEFAULT_SIZE) });
  }
  for (const edge of document.edges) {
    if (targetHandle(edge) === 'loop') continue;
    if (graph.hasNode(edge.source) && graph.hasNode(edge.target))
      graph.setEdge(edge.source, edge.target, {}, edge.id);
  }
  layout(graph);
  const places = [...connected]
    .filter((id) => graph.hasNode(id))
    .map((id): [string, { x: number; y: number }] => {
      const placed = graph.node(id) as NodeSize & { x: number; y: number };
      return [id, { x: placed.x - placed.width / 2, y: placed.y - placed.height / 2 }];
    });
  return move(document, new Map(places));
}

/** Moves nodes to where they were dropped; the same document when they are there already. */
export function move(
  document: WorkflowDocument,
  to: ReadonlyMap<string, { x: number; y: number }>,
): WorkflowDocument {
  const isMoved = (node: WorkflowNode) => {
    const { x, y } = to.get(node.id) ?? node.position;
    return x !== node.position.x || y !== node.position.y;
  };
  if (!document.nodes.some(isMoved)) return document;
  return {
    ...document,
    nodes: document.nodes.map((node) =>
      isMoved(node) ? { ...node, position: to.get(node.id) ?? node.position } : node,
    ),
  };
}
