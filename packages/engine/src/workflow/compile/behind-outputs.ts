import { type DraftEdge, type GraphShape, sortCycles } from './edges/cycles.ts';
import type { NodeDraft } from './node.ts';

type Shaping = (edges: readonly DraftEdge[]) => GraphShape;

/**
 * Leaves out the edges from outputs that end the run, and from nodes that only such edges lead to, wherever another edge
 * leads to their target: nothing waits for them, sees what is before them or depends on decisions before them. The others
 * stay, or their targets would be start nodes instead of skipped.
 */
export function withoutEdgesBehindOutputs(
  drafts: readonly NodeDraft[],
  candidates: readonly DraftEdge[],
  shaped: Shaping,
): readonly DraftEdge[] {
  const isDead = ({ source, port }: DraftEdge): boolean => {
    const { definition, answers_early } = drafts[source] ?? {};
    return port === '' && definition?.traits.terminal === 'output' && answers_early !== true;
  };
  const dead = new Set(candidates.filter(isDead));
  if (dead.size === 0) return candidates;
  const live = candidates.filter((edge) => !dead.has(edge));
  const ways = waysIn(shaped(live), drafts.length);
  silence(shaped(candidates), dead, ways);
  return candidates.filter((edge) => !dead.has(edge) || ways[edge.target] === 0);
}

/** How many edges may start each node; those that only repeat a loop are not among them. */
function waysIn(shape: GraphShape, nodeCount: number): Int32Array {
  const { back, stray } = sortCycles(shape);
  const ways = new Int32Array(nodeCount);
  for (const [index, { target }] of shape.edges.entries()) {
    if (!back.has(index) && !stray.includes(index)) ways[target] = (ways[target] ?? 0) + 1;
  }
  return ways;
}

/** Nodes that only dead edges lead to never run, so the edges from them are dead as well. */
function silence({ edges, outgoing }: GraphShape, dead: Set<DraftEdge>, ways: Int32Array): void {
  const isSilent = ({ target }: DraftEdge): boolean => ways[target] === 0;
  const silent = [...dead].filter(isSilent).map(({ target }) => target);
  for (let node = silent.pop(); node !== undefined; node = silent.pop()) {
    for (const index of outgoing[node] ?? []) {
      const edge = edges[index];
      if (edge === undefined || dead.has(edge)) continue;
      dead.add(edge);
      ways[edge.target] = (ways[edge.target] ?? 0) - 1;
      if (isSilent(edge)) silent.push(edge.target);
    }
  }
}
