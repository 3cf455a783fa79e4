import { Graph, layout } from '@dagrejs/dagre';
import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { sourceHandle, targetHandle } from './edit.ts';

export interface NodeSize {
  width: number;
  height: number;
}

export const DEFAULT_SIZE: NodeSize = { width: 220, height: 72 };
export const GAP = { rank: 72, node: 32, margin: 24 } as const;

type OutputsOf = (node: WorkflowNode) => readonly string[];

/**
 * Tidies up: ranks from left to right, branches one below the other. Notes and loose nodes keep their place.
 *
 * @param getOutputs handles of a node from top to bottom, so that its branches do not cross where they need not
 */
export function arrange(
  document: WorkflowDocument,
  sizes: ReadonlyMap<string, NodeSize> = new Map(),
  getOutputs: OutputsOf = () => [],
): WorkflowDocument {
  const [first, ...others] = layouts(document, sizes);
  const crossed = (places: Places) => countCrossings(document, places, getOutputs);
  let best = first;
  let fewest = others.length === 0 ? 0 : crossed(first);
  for (const places of others) {
    const crossings = crossed(places);
    if (crossings >= fewest) continue;
    best = places;
    fewest = crossings;
  }
  const corners = [...best].map(([id, { x, y, width, height }]): [string, { x: number; y: number }] => [
    id,
    { x: x - width / 2, y: y - height / 2 },
  ]);
  return move(document, new Map(corners));
}

/** Middles of nodes. */
type Places = ReadonlyMap<string, NodeSize & { readonly x: number; readonly y: number }>;

/** Comparing each line with each other takes too long beyond this. */
const MOST_LINES = 400;

/** The layout of the library, which knows no handles, in its own order and in that of the document, and both upside down. */
function layouts(document: WorkflowDocument, sizes: ReadonlyMap<string, NodeSize>): [Places, ...Places[]] {
  const own = laidOut(document, sizes, { disableOptimalOrderHeuristic: false });
  if (document.edges.length > MOST_LINES) return [own];
  const given = laidOut(document, sizes, { disableOptimalOrderHeuristic: true });
  return [own, upsideDown(own), given, upsideDown(given)];
}

function laidOut(
  document: WorkflowDocument,
  sizes: ReadonlyMap<string, NodeSize>,
  options: { readonly disableOptimalOrderHeuristic: boolean },
): Places {
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
  layout(graph, options);
  return new Map(
    graph.nodes().map((id: string) => [id, graph.node(id) as NodeSize & { x: number; y: number }]),
  );
}

function upsideDown(places: Places): Places {
  const lowest = Math.max(...[...places.values()].map(({ y, height }) => y + height / 2));
  return new Map([...places].map(([id, place]) => [id, { ...place, y: lowest + GAP.margin - place.y }]));
}

interface Line {
  readonly from: { readonly x: number; readonly y: number };
  readonly to: { readonly x: number; readonly y: number };
}

function countCrossings(document: WorkflowDocument, places: Places, getOutputs: OutputsOf): number {
  const nodes = new Map(document.nodes.map((node) => [node.id, node]));
  const lines = document.edges.flatMap((edge): Line[] => {
    const [node, source, target] = [nodes.get(edge.source), places.get(edge.source), places.get(edge.target)];
    if (!node || !source || !target || targetHandle(edge) === 'loop') return [];
    const outputs = getOutputs(node);
    const share = (Math.max(0, outputs.indexOf(sourceHandle(edge))) + 1) / (outputs.length + 1);
    const y = source.y + source.height * ((outputs.length === 0 ? 0.5 : share) - 0.5);
    return [
      { from: { x: source.x + source.width / 2, y }, to: { x: target.x - target.width / 2, y: target.y } },
    ];
  });
  let count = 0;
  for (const [at, one] of lines.entries())
    for (const other of lines.slice(at + 1)) if (cross(one, other)) count += 1;
  return count;
}

/** Lines that only meet at an end do not cross. */
function cross(one: Line, other: Line): boolean {
  const side = ({ from, to }: Line, { x, y }: Line['from']) =>
    Math.sign((to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x));
  return side(one, other.from) * side(one, other.to) < 0 && side(other, one.from) * side(other, one.to) < 0;
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
