import type { WorkflowGraph } from '../../workflow/compiled.ts';

/** A node in one round of the loops around it. */
export interface ReplayPlace {
  readonly node_id: string;
  /** As in events: `3`, `2.5`; '' outside loops. */
  readonly iteration: string;
}

export const placeKey = ({ node_id, iteration }: ReplayPlace): string => `${iteration} ${node_id}`;

export const parseRounds = (iteration: string): readonly number[] =>
  iteration === '' ? [] : iteration.split('.').map(Number);

/** Loops around a node, outermost first. */
export function loopsAround(graph: WorkflowGraph, node: number): readonly number[] {
  const loops: number[] = [];
  for (let loop = graph.nodes[node]?.loop ?? -1; loop >= 0; loop = graph.loops[loop]?.outer ?? -1) {
    loops.unshift(loop);
  }
  return loops;
}

/** Loops whose rounds the iteration of a row counts; undefined when the graph has no such place. A loop node has a row per round, too. */
function loopsOfRow(
  graph: WorkflowGraph,
  node: number,
  rounds: readonly number[],
): readonly number[] | undefined {
  const around = loopsAround(graph, node);
  if (rounds.length <= around.length) return around.slice(0, rounds.length);
  const opens = graph.nodes[node]?.opens ?? -1;
  return opens >= 0 && rounds.length === around.length + 1 ? [...around, opens] : undefined;
}

/** Nodes that are reached from a node in the same round. */
function behind(graph: WorkflowGraph, from: number): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [from];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const edge of graph.outgoing[node] ?? []) {
      const { target, kind } = graph.edges[edge] ?? { target: -1, kind: 'back' };
      if (kind === 'back' || found.has(target)) continue;
      found.add(target);
      open.push(target);
    }
  }
  return found;
}

/**
 * Says which rows are neither at a place nor follow from it: those of earlier rounds, and in the same round those that the
 * place does not lead to. Rows of places that the graph does not have are none of them.
 */
export function notBehind(graph: WorkflowGraph, place: ReplayPlace): (row: ReplayPlace) => boolean {
  const node = graph.indexOf(place.node_id);
  const rounds = parseRounds(place.iteration);
  const loops = loopsAround(graph, node);
  const reached = new Map<number, ReadonlySet<number>>();
  const isBehind = (from: number, target: number): boolean => {
    let found = reached.get(from);
    if (!found) reached.set(from, (found = behind(graph, from)));
    return found.has(target);
  };
  return (row) => {
    const target = graph.indexOf(row.node_id);
    const rowRounds = parseRounds(row.iteration);
    const rowLoops = target < 0 ? undefined : loopsOfRow(graph, target, rowRounds);
    if (!rowLoops) return false;
    let level = 0;
    for (; level < loops.length && loops[level] === rowLoops[level]; level++) {
      const distance = (rowRounds[level] ?? 0) - (rounds[level] ?? 0);
      if (distance !== 0) return distance < 0;
    }
    // On this level the place is the node itself, or the loop that it is inside of.
    const item = level === loops.length ? node : (graph.loops[loops[level] ?? -1]?.node ?? node);
    return target !== item && !isBehind(item, target);
  };
}
