import {
  type Catalog,
  type JsonObject,
  type NodeDefinition,
  resolvePorts,
  type WorkflowDocument,
  type WorkflowNode,
} from '@millrace/engine';
import {
  collectIds,
  type Edit,
  edited,
  freeId,
  freeLabel,
  nodeById,
  refused,
  sourceHandle,
  targetHandle,
} from '../../../features/document/edit.ts';
import { mintAddressFor } from '../../../lib/graph/node-addresses.ts';
import { connect } from '../edges/connect.ts';
import { leadBack } from '../edges/loop-return.ts';

export interface Position {
  x: number;
  y: number;
}

/** Room that a node takes on the canvas, with the gap to its neighbour. */
export const STEP = { x: 280, y: 120 } as const;

/** Size of an ordinary card. */
export const NODE = { width: 220, height: 60 } as const;

/** The rectangle around nodes. */
export function computeBounds(nodes: readonly { position: Position }[]) {
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

/** A new node with the default parameters of its definition. */
export function createNode(
  document: WorkflowDocument,
  definition: NodeDefinition,
  position: Position,
): WorkflowNode {
  const label = freeLabel(document, labelWish(definition));
  const data: JsonObject = { ...structuredClone(definition.initial), label };
  const id = mintAddressFor(definition) ?? freeId(collectIds(document.nodes), label);
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
  const { outputs } = resolvePorts(catalog, node);
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
  const siblings = document.edges.filter(
    (edge) => edge.source === before.id && targetHandle(edge) !== 'loop',
  ).length;
  const position = freePlace(document, {
    x: before.position.x + STEP.x,
    y: before.position.y + siblings * STEP.y,
  });
  const node = createNode(document, request.definition, position);
  const added = { ...document, nodes: [...document.nodes, node] };
  const into = resolvePorts(catalog, node).inputs[0];
  const from = request.handle ?? nextOutput(catalog, document, before);
  if (into === undefined || from === undefined) return { ...edited(added), id: node.id };
  const connection = { source: before.id, sourceHandle: from, target: node.id, targetHandle: into };
  const connected = connect(catalog, added, connection);
  if ('problem' in connected) return { ...connected, id: node.id };
  return { ...edited(leadBack(catalog, connected.document, { before, from, node })), id: node.id };
}
