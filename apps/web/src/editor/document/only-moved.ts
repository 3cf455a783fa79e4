import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';

/** Whether an edit left everything but the places of nodes as it was. What an edit does not change keeps its object. */
export function isOnlyMoved(before: WorkflowDocument, after: WorkflowDocument): boolean {
  if (before === after) return true;
  if (before.edges !== after.edges || before.nodes.length !== after.nodes.length) return false;
  return before.nodes.every((node, at) => isSameButPlace(node, after.nodes[at]));
}

function isSameButPlace(one: WorkflowNode, other: WorkflowNode | undefined): boolean {
  return one === other || (one.id === other?.id && one.type === other.type && one.data === other.data);
}
