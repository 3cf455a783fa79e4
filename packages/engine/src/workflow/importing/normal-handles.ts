import type { Catalog } from '../../node-type/define-node.ts';
import { isDefaultHandle, matchPort } from '../compile/edges/handles.ts';
import { resolvePorts } from '../connect.ts';
import type { WorkflowDocument, WorkflowEdge } from '../schema.ts';

/** An edge that names its source handle in another spelling than the node's definition does. */
export interface RespelledHandle {
  /** Index of the edge. */
  readonly index: number;
  readonly written: string;
  readonly port: string;
}

/**
 * Source handles in another spelling of exports and documentation (`0` for `case-0`, `review` for `hitl`). Handles that
 * the definition has, that mean the default one, or that are unknown are not included.
 */
export function respelledHandles(
  { nodes, edges }: { nodes: WorkflowDocument['nodes']; edges: readonly WorkflowEdge[] },
  catalog: Catalog,
): RespelledHandle[] {
  const nodeAt = new Map(nodes.map((node) => [node.id, node]));
  const found: RespelledHandle[] = [];
  for (const [index, { source, sourceHandle }] of edges.entries()) {
    const node = nodeAt.get(source);
    if (node === undefined || !sourceHandle || isDefaultHandle(sourceHandle)) continue;
    const { port } = matchPort(sourceHandle, resolvePorts(catalog, node).outputs);
    if (port !== '' && port !== sourceHandle) found.push({ index, written: sourceHandle, port });
  }
  return found;
}
