import type { Catalog, WorkflowDocument } from '@millrace/engine';
import { sourceHandle, targetHandle } from '../../../features/document/edit.ts';
import { connect } from './connect.ts';

/**
 * Removes nodes and edges. Where a single node leaves a chain, what stood before it is connected to what stood behind it,
 * so that a step can be taken out without drawing again.
 */
export function remove(
  catalog: Catalog,
  document: WorkflowDocument,
  gone: { nodes: ReadonlySet<string>; edges?: ReadonlySet<string> },
): WorkflowDocument {
  const edges = document.edges.filter((edge) => !gone.edges?.has(edge.id));
  const rest: WorkflowDocument = {
    nodes: document.nodes.filter((node) => !gone.nodes.has(node.id)),
    edges: edges.filter((edge) => !gone.nodes.has(edge.source) && !gone.nodes.has(edge.target)),
  };
  if (gone.nodes.size !== 1) return rest;
  const [id] = gone.nodes;
  const incoming = edges.filter((edge) => edge.target === id && targetHandle(edge) !== 'loop');
  const outgoing = edges.filter((edge) => edge.source === id && sourceHandle(edge) !== 'error');
  const bridge = outgoing.length === 1 && incoming.length > 0 ? outgoing[0] : undefined;
  if (!bridge) return rest;
  return incoming.reduce((current, edge) => {
    const joined = connect(catalog, current, {
      source: edge.source,
      sourceHandle: sourceHandle(edge),
      target: bridge.target,
      targetHandle: targetHandle(bridge),
    });
    return 'document' in joined ? joined.document : current;
  }, rest);
}
