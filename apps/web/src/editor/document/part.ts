import type { Catalog, Effect, WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { targetHandle } from './edit.ts';

/** `only` runs one node; `from` runs it and everything after it; `resume` continues where a run failed. */
export type PartMode = 'only' | 'from' | 'resume';

/** The node and all that is reached from it along its edges; edges back into a loop do not count. */
function reached(document: WorkflowDocument, from: string): Set<string> {
  const found = new Set<string>([from]);
  for (const at of found) {
    for (const edge of document.edges) {
      if (targetHandle(edge) !== 'loop' && edge.source === at) found.add(edge.target);
    }
  }
  return found;
}

/** Nodes of a document that may change something outside when they run. */
export function actingNodes(catalog: Catalog, document: Pick<WorkflowDocument, 'nodes'>): WorkflowNode[] {
  return document.nodes.filter((node) => {
    const isRun = node.data['active'] !== false && (node.data['pinnedData'] ?? null) === null;
    const onlyWaits = catalog.get(node.type)?.traits.only_waits === true;
    return isRun && !onlyWaits && !['pure', 'read'].includes(effectOf(catalog, node));
  });
}

function effectOf(catalog: Catalog, node: WorkflowNode): Effect {
  const effect = catalog.get(node.type)?.effect ?? 'pure';
  return typeof effect === 'function' ? effect(node.data) : effect;
}

/** Those of them that a part of the workflow runs. */
export function actingInPart(
  catalog: Catalog,
  document: WorkflowDocument,
  { id, mode }: { id: string; mode: PartMode },
): WorkflowNode[] {
  const running = mode === 'only' ? new Set([id]) : reached(document, id);
  return actingNodes(catalog, { nodes: document.nodes.filter((node) => running.has(node.id)) });
}
