import { type Catalog, isToolEdge, type WorkflowDocument, type WorkflowNode } from '@millrace/engine';
import { targetHandle } from './edit.ts';

/** Upper first, then the one further to the left, as one reads a canvas. */
const byPlace = (a: WorkflowNode, b: WorkflowNode): number =>
  a.position.y - b.position.y || a.position.x - b.position.x;

/**
 * The nodes that runs pass, each behind those that lead to it; of several branches the upper one comes first. Edges that
 * lead back into a loop do not count.
 */
export function flowOrder(catalog: Catalog, document: WorkflowDocument): string[] {
  const nodes = document.nodes
    .filter((node) => catalog.get(node.type)?.traits.schedule !== 'never')
    .sort(byPlace);
  const place = new Map(nodes.map((node, index) => [node.id, index]));
  const targets = new Map<string, string[]>();
  const followed = new Set<string>();
  for (const edge of document.edges) {
    if (targetHandle(edge) === 'loop' || !place.has(edge.source) || !place.has(edge.target)) continue;
    targets.set(edge.source, [...(targets.get(edge.source) ?? []), edge.target]);
    followed.add(edge.target);
  }
  const getPlace = (id: string): number => place.get(id) ?? 0;
  const order: string[] = [];
  const seen = new Set<string>();
  /** Written from the end: a node comes before everything that was reached from it. */
  const visit = (start: string): void => {
    const open = [{ id: start, left: lowestFirst(start) }];
    seen.add(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const next = top.left.shift();
      if (next === undefined) order.push(open.pop()?.id ?? '');
      else if (!seen.has(next)) {
        seen.add(next);
        open.push({ id: next, left: lowestFirst(next) });
      }
    }
  };
  const lowestFirst = (id: string): string[] =>
    [...(targets.get(id) ?? [])].sort((a, b) => getPlace(b) - getPlace(a));
  const ids = nodes.map((node) => node.id).reverse();
  for (const id of ids) if (!followed.has(id)) visit(id);
  for (const id of ids) if (!seen.has(id)) visit(id);
  return order.reverse();
}

/** Nodes whose output is the input of this one; neither tools of an agent nor the way back of a loop. */
export function findParents(document: WorkflowDocument, id: string): string[] {
  const sources = document.edges
    .filter((edge) => edge.target === id && targetHandle(edge) !== 'loop' && !isToolEdge(edge))
    .map((edge) => edge.source);
  return [...new Set(sources)];
}
