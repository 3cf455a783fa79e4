import type { Catalog, WorkflowDocument, WorkflowEdge, WorkflowNode } from '@millrace/engine';
import { type Edit, edited, freeId, idsOf, nodeById, refused, sourceHandle, targetHandle } from './edit.ts';

export interface Connection {
  source: string;
  target: string;
  sourceHandle?: string | null | undefined;
  targetHandle?: string | null | undefined;
}

interface NodePorts {
  inputs: readonly string[];
  outputs: readonly string[];
}

/** Handles of a node as its definition and its error settings have them; an unknown type has the ordinary pair. */
export function portsOf(catalog: Catalog, node: WorkflowNode): NodePorts {
  const definition = catalog.get(node.type);
  const { inputs, outputs } = definition?.ports(node.data) ?? { inputs: ['input'], outputs: ['output'] };
  const catches = node.data['onErrorEnabled'] === true && (definition?.traits.error_settings ?? true);
  return { inputs, outputs: catches && !outputs.includes('error') ? [...outputs, 'error'] : outputs };
}

const isLoop = (catalog: Catalog, node: WorkflowNode) => catalog.get(node.type)?.traits.loop ?? false;

/** True when `to` can be reached from `from` along edges that schedule; edges back into a loop do not count. */
export function reaches(document: WorkflowDocument, from: string, to: string): boolean {
  const next = new Map<string, string[]>();
  for (const edge of document.edges) {
    if (targetHandle(edge) === 'loop') continue;
    const targets = next.get(edge.source) ?? [];
    targets.push(edge.target);
    next.set(edge.source, targets);
  }
  const seen = new Set<string>([from]);
  const queue = [from];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    if (at === to) return true;
    for (const target of next.get(at) ?? []) {
      if (seen.has(target)) continue;
      seen.add(target);
      queue.push(target);
    }
  }
  return false;
}

/** Why a connection cannot be made; undefined when it can. The canvas highlights only targets without a reason. */
export function connectionProblem(
  catalog: Catalog,
  document: WorkflowDocument,
  wish: Connection,
): string | undefined {
  const source = nodeById(document, wish.source);
  const target = nodeById(document, wish.target);
  if (!source || !target) return 'The node no longer exists';
  if (source.id === target.id) return 'A node cannot be connected to itself';
  if (!portsOf(catalog, source).outputs.includes(sourceHandle(wish))) return 'This node has no such output';
  const into = targetHandle(wish);
  if (!portsOf(catalog, target).inputs.includes(into)) return 'This node has no such input';
  const exists = document.edges.some(
    (edge) =>
      edge.source === source.id &&
      edge.target === target.id &&
      sourceHandle(edge) === sourceHandle(wish) &&
      targetHandle(edge) === into,
  );
  if (exists) return 'These two are already connected';
  const closesLoop = into === 'loop' && isLoop(catalog, target);
  if (!closesLoop && reaches(document, target.id, source.id)) {
    return 'This would make a circle that never starts; use a loop node to repeat steps';
  }
  return undefined;
}

const edgeOf = (document: WorkflowDocument, wish: Connection): WorkflowEdge => ({
  id: freeId(idsOf(document.edges), `edge_${wish.source}_${wish.target}`),
  source: wish.source,
  target: wish.target,
  ...(sourceHandle(wish) === 'output' ? {} : { sourceHandle: sourceHandle(wish) }),
  ...(targetHandle(wish) === 'input' ? {} : { targetHandle: targetHandle(wish) }),
});

export function connect(catalog: Catalog, document: WorkflowDocument, wish: Connection): Edit {
  const problem = connectionProblem(catalog, document, wish);
  if (problem) return refused(problem);
  return edited({ ...document, edges: [...document.edges, edgeOf(document, wish)] });
}

/** Leads an existing edge somewhere else. */
export function reconnect(
  catalog: Catalog,
  document: WorkflowDocument,
  edgeId: string,
  wish: Connection,
): Edit {
  const without = { ...document, edges: document.edges.filter((edge) => edge.id !== edgeId) };
  return connect(catalog, without, wish);
}
