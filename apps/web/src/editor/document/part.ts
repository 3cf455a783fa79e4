import {
  type Catalog,
  type Effect,
  nodesUpTo,
  type WorkflowDocument,
  type WorkflowNode,
} from '@millrace/engine';
import { compileDocument } from './edges/connect.ts';

/** `only` runs one node; `from` runs it and everything after it; `resume` continues where a run failed. */
export type PartMode = 'only' | 'from' | 'resume';

/** The nodes and all that is reached from them along edges, those back into a loop too: later rounds run as well. */
function reached(document: WorkflowDocument, from: readonly string[]): Set<string> {
  const found = new Set(from);
  for (const at of found) {
    for (const { source, target } of document.edges) if (source === at) found.add(target);
  }
  return found;
}

/**
 * Whether runs reach the node along edges. Others are called by an agent as its tools, are started by a failure, or are no
 * steps at all, so that no part of the workflow can begin or end at them.
 */
export function isInMainFlow(catalog: Catalog, document: WorkflowDocument, node_id: string): boolean {
  const graph = compileDocument(catalog, document);
  return graph.nodes[graph.indexOf(node_id)]?.flow === 'main';
}

/** Nodes of a document that may change something outside when they run. */
export function actingNodes(catalog: Catalog, document: Pick<WorkflowDocument, 'nodes'>): WorkflowNode[] {
  return document.nodes.filter((node) => {
    const isRun = node.data['active'] !== false && (node.data['pinnedData'] ?? null) === null;
    const onlyWaits = catalog.get(node.type)?.traits.only_waits === true;
    return isRun && !onlyWaits && !['pure', 'read'].includes(getEffect(catalog, node));
  });
}

function getEffect(catalog: Catalog, node: WorkflowNode): Effect {
  const effect = catalog.get(node.type)?.effect ?? 'pure';
  return typeof effect === 'function' ? effect(node.data) : effect;
}

/** Those of them that a run up to the node may run. */
export function actingBefore(catalog: Catalog, document: WorkflowDocument, node_id: string): WorkflowNode[] {
  const graph = compileDocument(catalog, document);
  const running = new Set(nodesUpTo(graph, graph.indexOf(node_id)));
  // Agents call their tools, which may be agents with tools of their own.
  for (const index of running) for (const tool of graph.listTools(index)) running.add(tool);
  return actingNodes(catalog, { nodes: document.nodes.filter(({ id }) => running.has(graph.indexOf(id))) });
}

/**
 * Those of them that a part of the workflow runs.
 *
 * @param ids the node that was asked for; for `resume` all nodes that have failed
 * @param done nodes that have a result; others run as well, unless only one node does
 */
export function actingInPart(
  catalog: Catalog,
  document: WorkflowDocument,
  { ids, mode, done }: { ids: readonly string[]; mode: PartMode; done: (node_id: string) => boolean },
): WorkflowNode[] {
  const running = mode === 'only' ? new Set(ids) : reached(document, ids);
  if (mode !== 'only')
    for (const { id, flow } of compileDocument(catalog, document).nodes)
      if (flow === 'main' && !done(id)) running.add(id);
  return actingNodes(catalog, { nodes: document.nodes.filter((node) => running.has(node.id)) });
}
