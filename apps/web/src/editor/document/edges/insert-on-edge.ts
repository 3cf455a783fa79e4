import {
  type Catalog,
  type NodeDefinition,
  nameInput,
  resolvePorts,
  type WorkflowDocument,
} from '@millrace/engine';
import { type Edit, nodeById, refused, sourceHandle, targetHandle } from '../../../features/document/edit.ts';
import { createNode, STEP } from '../nodes/add-node.ts';
import { connect } from './connect.ts';

/** A node and everything downstream of it; edges back into a loop are not followed. */
function behind(document: WorkflowDocument, id: string): Set<string> {
  const found = new Set([id]);
  for (const at of found) {
    for (const edge of document.edges)
      if (edge.source === at && targetHandle(edge) !== 'loop') found.add(edge.target);
  }
  return found;
}

/**
 * Inserts a node into an edge. Where there is no room, the nodes downstream are
 * moved. References to `$input` behind it would then mean the new node, so they are rewritten to the label they meant.
 */
export function insertOnEdge(
  catalog: Catalog,
  given: WorkflowDocument,
  request: { edge_id: string; definition: NodeDefinition },
): Edit & { id?: string } {
  const follower = given.edges.find((item) => item.id === request.edge_id)?.target;
  const document = follower === undefined ? given : nameInput(given, catalog, follower);
  const edge = document.edges.find((item) => item.id === request.edge_id);
  const source = edge && nodeById(document, edge.source);
  const target = edge && nodeById(document, edge.target);
  if (!edge || !source || !target) return refused({ code: 'connection_gone' });
  const position = {
    x: source.position.x + STEP.x,
    y: Math.round((source.position.y + target.position.y) / 2),
  };
  const node = createNode(document, request.definition, position);
  const { inputs, outputs } = resolvePorts(catalog, node);
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
