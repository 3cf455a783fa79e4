import type { JsonObject, WorkflowDocument, WorkflowEdge, WorkflowNode } from '@millrace/engine';
import type { ChangeGroup, EdgeChange, NodeChange } from './change-groups.ts';

/** Guarantee: graphs of the server are plain JSON; the engine names the same shape. */
const asNode = (node: NonNullable<NodeChange['new_node']>) => node as WorkflowNode;
const asEdge = (edge: NonNullable<EdgeChange['new_edge']>) => edge as WorkflowEdge;

/** A node with the changed fields alone, so that what was edited meanwhile elsewhere in it stays. */
function modified(node: WorkflowNode, { new_node, changes }: NodeChange): WorkflowNode {
  if (!new_node) return node;
  const proposed = asNode(new_node);
  const data: JsonObject = { ...node.data };
  let next: WorkflowNode = { ...node, data };
  for (const { type, field } of changes) {
    if (type === 'node_field') {
      next = field === 'type' ? { ...next, type: proposed.type } : { ...next, position: proposed.position };
      continue;
    }
    const name = field.slice('data.'.length);
    const value = proposed.data[name];
    if (value === undefined) delete data[name];
    else data[name] = value;
  }
  return next;
}

function applyNode(nodes: readonly WorkflowNode[], change: NodeChange): WorkflowNode[] {
  const { node_id, change_type, new_node } = change;
  switch (change_type) {
    case 'removed':
      return nodes.filter(({ id }) => id !== node_id);
    case 'modified':
      return nodes.map((node) => (node.id === node_id ? modified(node, change) : node));
    case 'added':
      return new_node ? [...nodes.filter(({ id }) => id !== node_id), asNode(new_node)] : [...nodes];
    default:
      return change_type satisfies never;
  }
}

function applyEdge(edges: readonly WorkflowEdge[], { edge_id, new_edge }: EdgeChange): WorkflowEdge[] {
  const others = edges.filter(({ id }) => id !== edge_id);
  if (!new_edge) return others;
  const isKnown = others.length < edges.length;
  return isKnown
    ? edges.map((edge) => (edge.id === edge_id ? asEdge(new_edge) : edge))
    : [...others, asEdge(new_edge)];
}

/** A document with some changes of a proposal; connections of which an end is missing are left out. */
export function applyChanges(document: WorkflowDocument, groups: readonly ChangeGroup[]): WorkflowDocument {
  const nodes = groups.flatMap((group) => group.nodes).reduce(applyNode, [...document.nodes]);
  const edges = groups.flatMap((group) => group.edges).reduce(applyEdge, [...document.edges]);
  const ids = new Set(nodes.map(({ id }) => id));
  return {
    ...document,
    nodes,
    edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
  };
}
