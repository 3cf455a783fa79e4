import { type Catalog, renameLabel, type WorkflowDocument, type WorkflowNode } from '@millrace/engine';
import { type Edit, edited, freeLabel, nodeById, refused } from '../../../features/document/edit.ts';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

export type LabelProblem = 'empty' | 'not_a_name' | 'taken';

/** Why a label cannot be given; undefined when it can. */
export function labelProblem(
  document: WorkflowDocument,
  id: string,
  label: string,
): LabelProblem | undefined {
  if (label.trim() === '') return 'empty';
  if (!IDENTIFIER.test(label)) return 'not_a_name';
  return document.nodes.some((node) => node.id !== id && getNodeLabel(node) === label) ? 'taken' : undefined;
}

/**
 * The label closest to what was typed that can be given: "Order total" becomes "OrderTotal". Undefined when there is no
 * letter or digit in it.
 */
export function nearestLabel(document: WorkflowDocument, id: string, typed: string): string | undefined {
  const words = typed
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .match(/[A-Za-z0-9_]+/g);
  const [first, ...rest] = words ?? [];
  if (first === undefined) return undefined;
  const joined = first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const others = { ...document, nodes: document.nodes.filter((node) => node.id !== id) };
  return freeLabel(others, /^\d/.test(joined) ? `_${joined}` : joined);
}

/** Renames a node and every reference to it. */
export function renameNode(
  catalog: Catalog,
  document: WorkflowDocument,
  wish: { id: string; label: string },
): Edit {
  const node = nodeById(document, wish.id);
  if (!node) return refused({ code: 'node_gone' });
  return edited(renameLabel(document, catalog, { node_id: wish.id, label: wish.label }));
}

/** Renames references among some nodes, whose own labels change too. */
export function renameLabels(
  catalog: Catalog,
  nodes: readonly WorkflowNode[],
  labels: ReadonlyMap<string, string>,
): WorkflowNode[] {
  let document: WorkflowDocument = { nodes: [...nodes], edges: [] };
  for (const [from, to] of labels) {
    const node = document.nodes.find((item) => getNodeLabel(item) === from);
    if (node) document = renameLabel(document, catalog, { node_id: node.id, label: to });
  }
  return document.nodes;
}
