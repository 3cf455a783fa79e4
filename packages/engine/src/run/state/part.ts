import type { WorkflowGraph } from '../../workflow/compiled.ts';
import type { RunOptions } from '../options.ts';
import { placeKey } from '../replay/before.ts';

/** The part of its workflow that a run executes; nothing else starts. */
export interface RunPart {
  /** Index of the node at whose end the run ends. */
  readonly last: number;
  /** The round in which it has to end; undefined: the first in which it runs. */
  readonly iteration: string | undefined;
  mayStart(node: number, iteration: string): boolean;
}

/**
 * Indexes of the node and of all that may have to run before it: what leads to it, with whole loops, because a round ends when its
 * whole body has.
 */
export function nodesUpTo(graph: WorkflowGraph, last: number): ReadonlySet<number> {
  const found = new Set([last]);
  const addSource = (edge: number) => {
    const source = graph.edges[edge]?.source;
    if (source !== undefined) found.add(source);
  };
  for (const node of found) {
    graph.incoming[node]?.forEach(addSource);
    const loop = graph.loops[graph.nodes[node]?.opens ?? -1];
    if (loop === undefined) continue;
    loop.entries.forEach(addSource);
    for (const inside of loop.body) found.add(inside);
  }
  return found;
}

/** Indexes of the node, of all that follows from it, and of all that may have to run before those. */
export function nodesBehind(graph: WorkflowGraph, first: number): ReadonlySet<number> {
  const following = new Set([first]);
  for (const node of following) {
    for (const edge of graph.outgoing[node] ?? []) {
      const target = graph.edges[edge]?.target;
      if (target !== undefined) following.add(target);
    }
  }
  return new Set([...following].flatMap((node) => [...nodesUpTo(graph, node)]));
}

/** Undefined when the run executes the whole workflow. */
export function selectPart(
  graph: WorkflowGraph,
  { only, until }: Pick<RunOptions, 'only' | 'until'>,
): RunPart | undefined {
  if (only !== undefined) {
    const places = new Set(only.map(placeKey));
    const last = only.at(-1);
    return {
      last: graph.indexOf(last?.node_id ?? ''),
      iteration: last?.iteration,
      mayStart: (node, iteration) =>
        places.has(placeKey({ node_id: graph.nodes[node]?.id ?? '', iteration })),
    };
  }
  if (until === undefined) return undefined;
  const last = graph.indexOf(until);
  const nodes = nodesUpTo(graph, last);
  return { last, iteration: undefined, mayStart: (node) => nodes.has(node) };
}
