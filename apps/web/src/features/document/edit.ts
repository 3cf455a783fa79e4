import type { ConnectionRefusal, WorkflowDocument, WorkflowEdge, WorkflowNode } from '@millrace/engine';
import { getNodeLabel } from '../../lib/graph/node-label.ts';

/** Why an edit is not possible; `editor.refusal` has the words. `title` names a kind of node. */
export type Refusal =
  | { code: ConnectionRefusal | 'connection_gone' }
  | { code: 'only_starts'; title: string };

/** The result of an edit: a new document that shares what did not change, or the reason why it is not possible. */
export type Edit = { document: WorkflowDocument } | { problem: Refusal };

export const edited = (document: WorkflowDocument): Edit => ({ document });
export const refused = (problem: Refusal): Edit => ({ problem });

export const nodeById = (document: WorkflowDocument, id: string): WorkflowNode | undefined =>
  document.nodes.find((node) => node.id === id);

/** Replaces one node; an unknown id and a change to the same leave the document as it is. */
export function updateNode(
  document: WorkflowDocument,
  id: string,
  change: (node: WorkflowNode) => WorkflowNode,
): WorkflowDocument {
  let found = false as boolean;
  const nodes = document.nodes.map((node) => {
    if (node.id !== id) return node;
    const changed = change(node);
    found ||= changed !== node;
    return changed;
  });
  return found ? { ...document, nodes } : document;
}

/** The handle that an absent, null or empty one stands for. */
export const sourceHandle = (edge: Pick<WorkflowEdge, 'sourceHandle'>): string =>
  edge.sourceHandle || 'output';
export const targetHandle = (edge: Pick<WorkflowEdge, 'targetHandle'>): string =>
  edge.targetHandle || 'input';

/** An id that no node or edge of the document has; deterministic, so that edits replay alike. */
export function freeId(taken: ReadonlySet<string>, wish: string): string {
  if (!taken.has(wish)) return wish;
  let count = 2;
  while (taken.has(`${wish}_${count}`)) count += 1;
  return `${wish}_${count}`;
}

export const collectIds = (items: readonly { id: string }[]): Set<string> =>
  new Set(items.map((item) => item.id));

/** A label that no node of the document has: `request`, `request2`, ... */
export function freeLabel(
  document: WorkflowDocument,
  wish: string,
  alsoTaken: ReadonlySet<string> = new Set(),
): string {
  const taken = new Set(document.nodes.map(getNodeLabel));
  const isTaken = (label: string) => taken.has(label) || alsoTaken.has(label);
  if (!isTaken(wish)) return wish;
  const stem = wish.replace(/\d+$/, '');
  let count = 2;
  while (isTaken(`${stem}${count}`)) count += 1;
  return `${stem}${count}`;
}
