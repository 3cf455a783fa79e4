import type { Catalog, Effect, Json, WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { labelOf, targetHandle } from './edit.ts';

/** `only` runs one node; `from` runs it and everything after it; `resume` continues where a run failed at it. */
export type PartMode = 'only' | 'from' | 'resume';

interface Part {
  /** The nodes that run, behind stand-ins that give what the nodes before them gave. */
  document: WorkflowDocument;
  /** Nodes that really run and may change something outside. */
  acting: readonly WorkflowNode[];
}

/** Ids that are reached from a node along its edges, in one direction; edges back into a loop do not count. */
function reached(document: WorkflowDocument, from: string, direction: 'before' | 'behind'): Set<string> {
  const found = new Set<string>([from]);
  for (const at of found) {
    for (const edge of document.edges) {
      if (targetHandle(edge) === 'loop') continue;
      if (direction === 'before' && edge.target === at) found.add(edge.source);
      if (direction === 'behind' && edge.source === at) found.add(edge.target);
    }
  }
  found.delete(from);
  return found;
}

/**
 * Where a run resumes after a node that failed: at the node itself, or at the outermost loop that it is a step of, whose
 * rounds belong together.
 */
export function resumePoint(document: WorkflowDocument, id: string): string {
  const loop = document.edges
    .filter((edge) => targetHandle(edge) === 'loop' && edge.target !== id)
    .find(
      ({ source, target }) =>
        (source === id || reached(document, id, 'behind').has(source)) &&
        reached(document, target, 'behind').has(id),
    );
  return loop ? resumePoint(document, loop.target) : id;
}

/** Nodes of a document that may change something outside when they run. */
export function actingNodes(catalog: Catalog, document: WorkflowDocument): WorkflowNode[] {
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

/** A node that gives a known output and does nothing. */
const standIn = (node: WorkflowNode, output: Json): WorkflowNode => ({
  id: node.id,
  type: 'set',
  position: node.position,
  data: { label: labelOf(node), mappings: [], pinnedData: output },
});

/**
 * The part of a document that runs one node, or that and what follows, with the outputs that the nodes before it gave
 * last. Undefined when one of them has not given any yet.
 */
export function partOf(
  catalog: Catalog,
  document: WorkflowDocument,
  wish: { id: string; mode: PartMode; outputs: ReadonlyMap<string, Json> },
): Part | undefined {
  const start = wish.mode === 'resume' ? resumePoint(document, wish.id) : wish.id;
  const behind = wish.mode === 'only' ? [] : reached(document, start, 'behind');
  const running = new Set([start, ...behind]);
  // What runs may also read branches that do not pass the node; they keep what they gave.
  const before = new Set([...running].flatMap((id) => [...reached(document, id, 'before')]));
  const kept = document.nodes.filter((node) => running.has(node.id) || before.has(node.id));
  const direct = new Set(
    document.edges
      .filter((edge) => running.has(edge.target) && !running.has(edge.source))
      .map((edge) => edge.source),
  );
  if ([...direct].some((id) => reachesWish(id) && !wish.outputs.has(id))) return undefined;
  const nodes = kept.flatMap((node) => {
    if (running.has(node.id)) return [node];
    const output = wish.outputs.get(node.id);
    return output === undefined ? [] : [standIn(node, output)];
  });
  const known = new Set(nodes.map((node) => node.id));
  const edges = document.edges
    .filter((edge) => known.has(edge.source) && known.has(edge.target))
    .filter((edge) => running.has(edge.source) || targetHandle(edge) !== 'loop')
    .map((edge) =>
      running.has(edge.source) ? edge : { ...edge, sourceHandle: null, targetHandle: targetOf(edge) },
    );
  const part = { nodes, edges };
  const acting = actingNodes(catalog, part).filter((node) => running.has(node.id));
  return { document: part, acting };

  /** Other branches that join later may have been skipped, and give nothing then. */
  function reachesWish(id: string): boolean {
    return document.edges.some((edge) => edge.source === id && edge.target === start);
  }

  /** A stand-in has one input only. */
  function targetOf(edge: WorkflowDocument['edges'][number]): string | null {
    return running.has(edge.target) ? (edge.targetHandle ?? null) : null;
  }
}
