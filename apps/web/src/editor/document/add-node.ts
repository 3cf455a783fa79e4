import {
  type Catalog,
  type JsonObject,
  type NodeDefinition,
  portsOf,
  type WorkflowDocument,
  type WorkflowNode,
} from '@millrace/engine';
import { mintAddressFor } from '../../lib/node-addresses.ts';
import { connect } from './connect.ts';
import {
  type Edit,
  edited,
  freeId,
  freeLabel,
  idsOf,
  nodeById,
  refused,
  sourceHandle,
  targetHandle,
} from './edit.ts';

export interface Position {
  x: number;
  y: number;
}

/** Room that a node takes on the canvas, with the gap to its neighbour. */
export const STEP = { x: 280, y: 120 } as const;

/** Size of an ordinary card. */
export const NODE = { width: 220, height: 60 } as const;

/** The rectangle around nodes. */
export function boundsOf(nodes: readonly { position: Position }[]) {
  const left = Math.min(...nodes.map((node) => node.position.x));
  const top = Math.min(...nodes.map((node) => node.position.y));
  const right = Math.max(...nodes.map((node) => node.position.x)) + NODE.width;
  const bottom = Math.max(...nodes.map((node) => node.position.y)) + NODE.height;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

const isNear = (one: Position, other: Position): boolean =>
  Math.abs(one.x - other.x) < STEP.x - 40 && Math.abs(one.y - other.y) < STEP.y - 40;

/** The wished place, or the next free one below it; on the grid of the canvas. */
export function freePlace(document: WorkflowDocument, wish: Position): Position {
  const snapped = { x: Math.round(wish.x / 10) * 10, y: Math.round(wish.y / 10) * 10 };
  let place = snapped;
  while (document.nodes.some((node) => isNear(node.position, place)))
    place = { x: place.x, y: place.y + STEP.y };
  return place;
}

const labelWish = (definition: NodeDefinition): string => {
  const label = definition.initial['label'];
  return typeof label === 'string' ? label : definition.type;
};

function createNode(
  document: WorkflowDocument,
  definition: NodeDefinition,
  position: Position,
): WorkflowNode {
  const label = freeLabel(document, labelWish(definition));
  const data: JsonObject = { ...structuredClone(definition.initial), label };
  const id = mintAddressFor(definition) ?? freeId(idsOf(document.nodes), label);
  return { id, type: definition.type, position, data };
}

/** Adds a node with the parameters that its definition starts with. */
export function addNode(
  document: WorkflowDocument,
  definition: NodeDefinition,
  position: Position,
): Edit & { id?: string } {
  const node = createNode(document, definition, position);
  return { ...edited({ ...document, nodes: [...document.nodes, node] }), id: node.id };
}

/** Outputs for what is out of the ordinary, which are followed only when chosen. */
const EXCEPTIONS: ReadonlySet<string> = new Set(['error', 'hitl']);

/** The output that a further node is put behind: the first one that leads nowhere yet, else the first one. */
function nextOutput(catalog: Catalog, document: WorkflowDocument, node: WorkflowNode): string | undefined {
  const { outputs } = portsOf(catalog, node);
  const taken = new Set(document.edges.filter(({ source }) => source === node.id).map(sourceHandle));
  return outputs.find((output) => !taken.has(output) && !EXCEPTIONS.has(output)) ?? outputs[0];
}

/** Adds a node behind another one and connects the two; without a handle behind its next output. */
export function addNodeAfter(
  catalog: Catalog,
  document: WorkflowDocument,
  request: { after: string; handle?: string | undefined; definition: NodeDefinition },
): Edit & { id?: string } {
  const before = nodeById(document, request.after);
  if (!before) return refused({ code: 'node_gone' });
  const siblings = document.edges.filter((edge) => edge.source === before.id).length;
  const position = freePlace(document, {
    x: before.position.x + STEP.x,
    y: before.position.y + siblings * STEP.y,
  });
  const node = createNode(document, request.definition, position);
  const added = { ...document, nodes: [...document.nodes, node] };
  const into = portsOf(catalog, node).inputs[0];
  const from = request.handle ?? nextOutput(catalog, document, before);
  if (into === undefined || from === undefined) return { ...edited(added), id: node.id };
  const connection = { source: before.id, sourceHandle: from, target: node.id, targetHandle: into };
  return { ...connect(catalog, added, connection), id: node.id };
}

/** A node and all that run after it; edges back into a loop are not followed. */
function behind(document: WorkflowDocument, id: string): Set<string> {
  const found = new Set([id]);
  for (const at of found) {
    for (const edge of document.edges)
      if (edge.source === at && targetHandle(edge) !== 'loop') found.add(edge.target);
  }
  return found;
}

/**
 * Puts a node into an edge: what was connected directly now passes through it. Where there is no room, what follows
 * moves on.
 */
export function insertOnEdge(
  catalog: Catalog,
  document: WorkflowDocument,
  request: { edge_id: string; definition: NodeDefinition },
): Edit & { id?: string } {
  const edge = document.edges.find((item) => item.id === request.edge_id);
  const source = edge && nodeById(document, edge.source);
  const target = edge && nodeById(document, edge.target);
  if (!edge || !source || !target) return refused({ code: 'connection_gone' });
  const position = {
    x: source.position.x + STEP.x,
    y: Math.round((source.position.y + target.position.y) / 2),
  };
  const node = createNode(document, request.definition, position);
  const { inputs, outputs } = portsOf(catalog, node);
  if (inputs[0] === undefined) return refused({ code: 'only_starts', title: request.definition.title });
  const missing = Math.max(0, position.x + STEP.x - target.position.x);
  const moved = missing > 0 ? behind(document, target.id) : new Set<string>();
  const shifted = {
    nodes: [
      ...document.nodes.map((other) =>
        moved.has(other.id)
          ? { ...other, position: { ...other.position, x: other.position.x + missing } }
          : other,
      ),
      node,
    ],
    edges: document.edges.filter((item) => item.id !== edge.id),
  };
  const first = connect(catalog, shifted, {
    source: edge.source,
    sourceHandle: sourceHandle(edge),
    target: node.id,
    targetHandle: inputs[0],
  });
  if ('problem' in first || outputs[0] === undefined) return { ...first, id: node.id };
  const second = connect(catalog, first.document, {
    source: node.id,
    sourceHandle: outputs[0],
    target: edge.target,
    targetHandle: targetHandle(edge),
  });
  return { ...second, id: node.id };
}
