import type { Catalog, WorkflowDocument, WorkflowEdge } from '@millrace/engine';
import { collectIds, freeId, freeLabel } from '../../features/document/edit.ts';
import { withNewAddresses } from '../../lib/graph/node-addresses.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { computeBounds, type Position } from './nodes/add-node.ts';
import { renameLabels } from './nodes/rename.ts';

/**
 * Adds copied nodes with their upper left corner at a place, with fresh ids and labels. References among the pasted nodes follow their new labels;
 * references to nodes that were not copied stay as they are.
 */
export function paste(
  catalog: Catalog,
  document: WorkflowDocument,
  { clip: copied, at }: { clip: WorkflowDocument; at: Position },
): { document: WorkflowDocument; ids: string[] } {
  const clip = withNewAddresses(catalog, copied);
  const takenIds = collectIds(document.nodes);
  const takenLabels = new Set<string>();
  const ids = new Map<string, string>();
  const labels = new Map<string, string>();
  const origin = computeBounds(clip.nodes);
  for (const node of clip.nodes) {
    const id = freeId(takenIds, node.id);
    takenIds.add(id);
    ids.set(node.id, id);
    const label = freeLabel(document, getNodeLabel(node), takenLabels);
    takenLabels.add(label);
    if (label !== getNodeLabel(node)) labels.set(getNodeLabel(node), label);
  }
  const renamed = renameLabels(catalog, clip.nodes, labels);
  const nodes = renamed.map((node) => ({
    ...node,
    id: ids.get(node.id) ?? node.id,
    position: { x: at.x + node.position.x - origin.x, y: at.y + node.position.y - origin.y },
  }));
  const takenEdges = collectIds(document.edges);
  const edges: WorkflowEdge[] = clip.edges.map((edge) => {
    const source = ids.get(edge.source) ?? edge.source;
    const target = ids.get(edge.target) ?? edge.target;
    const id = freeId(takenEdges, `edge_${source}_${target}`);
    takenEdges.add(id);
    return { ...edge, id, source, target };
  });
  return {
    document: { nodes: [...document.nodes, ...nodes], edges: [...document.edges, ...edges] },
    ids: nodes.map((node) => node.id),
  };
}
