import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { arrange, DEFAULT_SIZE, GAP, move } from './arrange.ts';

const LOOSE_PER_ROW = 6;

/** Where the contract puts a node that comes without a position (specification, section 3). */
const isAtOrigin = ({ position: { x, y } }: WorkflowNode) => x === 0 && y === 0;

/**
 * Lays out nodes that came without a position and would cover each other, below those that have one. The same document when
 * fewer than two nodes stand at the origin.
 */
export function placeMissing(document: WorkflowDocument): WorkflowDocument {
  const nodes = document.nodes.filter(isAtOrigin);
  if (nodes.length < 2) return document;
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = document.edges.filter(({ source, target }) => ids.has(source) && ids.has(target));
  const connected = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const arranged = arrange({ nodes, edges }).nodes.filter(({ id }) => connected.has(id));

  const top = below(document.nodes.filter(({ id }) => !ids.has(id)));
  const places = new Map(arranged.map(({ id, position: { x, y } }) => [id, { x, y: y + top }]));
  const loose = nodes.filter(({ id }) => !connected.has(id));
  const loose_top = top + below(arranged);
  for (const [index, { id }] of loose.entries()) {
    const column = index % LOOSE_PER_ROW;
    const row = Math.floor(index / LOOSE_PER_ROW);
    const x = GAP.margin + column * (DEFAULT_SIZE.width + GAP.rank);
    places.set(id, { x, y: loose_top + GAP.margin + row * (DEFAULT_SIZE.height + GAP.node) });
  }
  return move(document, places);
}

/** First free line under the nodes, in pixels of the canvas. */
const below = (nodes: readonly WorkflowNode[]): number =>
  nodes.length === 0 ? 0 : Math.max(...nodes.map(({ position }) => position.y)) + DEFAULT_SIZE.height;
