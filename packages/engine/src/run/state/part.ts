import type { WorkflowGraph } from '../../workflow/compiled.ts';
import type { RunOptions } from '../options.ts';
import { loopsAround, placeKey } from '../replay/before.ts';

/** What a run executes of its workflow. Everything else neither runs nor is skipped. */
export interface RunPart {
  /** Index of the node at whose end the run ends. */
  readonly last: number;
  /** The round in which it has to end; undefined: the first that it has. */
  readonly iteration: string | undefined;
  mayStart(node: number, iteration: string): boolean;
}

/** The node and all that has to settle before it runs for the first time. */
function upTo(graph: WorkflowGraph, last: number): ReadonlySet<number> {
  const around = new Set(loopsAround(graph, last));
  const found = new Set([last]);
  for (const node of found) {
    for (const edge of graph.incoming[node] ?? []) {
      const { source, kind, target } = graph.edges[edge] ?? { source: -1, kind: 'forward', target: -1 };
      // Its own loops need no second round.
      if (kind === 'back' && around.has(graph.nodes[target]?.opens ?? -1)) continue;
      if (source >= 0) found.add(source);
    }
    const loop = graph.loops[graph.nodes[node]?.opens ?? -1];
    if (loop === undefined) continue;
    for (const entry of loop.entries) found.add(graph.edges[entry]?.source ?? last);
    // A round ends when the whole body has.
    if (!around.has(loop.index)) for (const inside of loop.body) found.add(inside);
  }
  return found;
}

/** Undefined when the run executes the whole workflow. */
export function partOf(
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
  const nodes = upTo(graph, last);
  return { last, iteration: undefined, mayStart: (node) => nodes.has(node) };
}
