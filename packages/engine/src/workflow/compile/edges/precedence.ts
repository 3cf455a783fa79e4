import type { CompiledEdge, CompiledLoop } from '../../compiled.ts';
import { NumberHeap } from '../number-heap.ts';

export interface PrecedenceInput {
  readonly nodeCount: number;
  readonly edges: readonly CompiledEdge[];
  readonly loops: readonly CompiledLoop[];
  readonly loopOf: Int32Array;
  /** Loop that a node opens, or -1. */
  readonly opens: (node: number) => number;
}

/**
 * Which node always settles before which other one starts, as a graph without cycles: every node once, and
 * for every loop one more vertex (`nodeCount + loop`) that stands for its end.
 */
export class Precedence {
  /** Rank of each node in topological order; ties follow the document. */
  readonly rank: Int32Array;
  /** Nodes in topological order. */
  readonly order: readonly number[];
  /** Loops whose bodies overlap without one containing the other, so that no order exists. */
  readonly isStuck: boolean;
  readonly #input: PrecedenceInput;
  readonly #after: number[][];
  readonly #vertices: readonly number[];
  readonly #reach = new Map<number, Uint8Array>();

  constructor(input: PrecedenceInput) {
    this.#input = input;
    this.#after = causes(input);
    const sorted = sortVertices(input, this.#after);
    this.isStuck = sorted.length < this.#after.length;
    this.#vertices = sorted;
    this.order = sorted.filter((vertex) => vertex < input.nodeCount);
    this.rank = new Int32Array(input.nodeCount).fill(input.nodeCount);
    for (const [rank, node] of this.order.entries()) this.rank[node] = rank;
  }

  /** Marks of all nodes that start after `node` has settled. */
  after(node: number): Uint8Array {
    const known = this.#reach.get(node);
    if (known) return known;
    const marks = new Uint8Array(this.#input.nodeCount);
    const seen = new Uint8Array(this.#after.length);
    const stack = [...(this.#after[node] ?? [])];
    for (let vertex = stack.pop(); vertex !== undefined; vertex = stack.pop()) {
      if (seen[vertex] === 1) continue;
      seen[vertex] = 1;
      if (vertex < marks.length) marks[vertex] = 1;
      for (const next of this.#after[vertex] ?? []) if (seen[next] === 0) stack.push(next);
    }
    this.#reach.set(node, marks);
    return marks;
  }

  /**
   * For up to 32 nodes at a time, one bit each: which of them precede every node.
   * Cheaper than `after` when a large graph has many different references.
   */
  computeBits(nodes: readonly number[]): Uint32Array {
    const bits = new Uint32Array(this.#after.length);
    const own = new Uint32Array(this.#after.length);
    for (const [bit, node] of nodes.entries()) own[node] = (own[node] ?? 0) | (1 << bit);
    for (const vertex of this.#vertices) {
      const passed = (bits[vertex] ?? 0) | (own[vertex] ?? 0);
      if (passed === 0) continue;
      for (const next of this.#after[vertex] ?? []) bits[next] = (bits[next] ?? 0) | passed;
    }
    return bits;
  }
}

/** Vertices that start after each vertex because they wait for it. */
function causes({ nodeCount, edges, loops, loopOf, opens }: PrecedenceInput): number[][] {
  const after: number[][] = Array.from({ length: nodeCount + loops.length }, () => []);
  for (const edge of edges) {
    if (edge.kind === 'back') continue;
    const opened = opens(edge.source);
    const exit = edge.kind === 'exit' ? edge.exit : opened >= 0 && edge.port !== 'loop' ? opened : -1;
    const cause = after[exit < 0 ? edge.source : nodeCount + exit];
    cause?.push(edge.target);
    const entered = loops[edge.enters];
    if (entered) cause?.push(entered.node);
  }
  for (let node = 0; node < nodeCount; node++) {
    const opened = opens(node);
    const last = opened < 0 ? node : nodeCount + opened;
    if (opened >= 0) after[node]?.push(last);
    const around = loopOf[node] ?? -1;
    if (around >= 0) after[last]?.push(nodeCount + around);
  }
  return after;
}

function sortVertices({ nodeCount, loops }: PrecedenceInput, after: readonly number[][]): number[] {
  const waits = new Int32Array(after.length);
  for (const targets of after) for (const target of targets) waits[target] = (waits[target] ?? 0) + 1;
  // Ends come as early as they can: their keys are smaller than those of nodes.
  const heap = new NumberHeap();
  const release = (vertex: number): void => {
    if (waits[vertex] === 0) heap.push(vertex < nodeCount ? vertex + loops.length : vertex - nodeCount);
  };
  for (let vertex = 0; vertex < after.length; vertex++) release(vertex);
  const sorted: number[] = [];
  for (let smallest = heap.pop(); smallest !== undefined; smallest = heap.pop()) {
    const vertex = smallest < loops.length ? smallest + nodeCount : smallest - loops.length;
    sorted.push(vertex);
    for (const target of after[vertex] ?? []) {
      waits[target] = (waits[target] ?? 0) - 1;
      release(target);
    }
  }
  return sorted;
}
