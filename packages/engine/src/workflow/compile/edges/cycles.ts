/** An edge that may schedule its target, before anything is known about loops. */
export interface DraftEdge {
  readonly id: string;
  readonly source: number;
  readonly target: number;
  readonly port: string;
  /** Drawn to the `loop` handle of a loop node. */
  readonly toLoopHandle: boolean;
}

export interface GraphShape {
  readonly nodeCount: number;
  readonly edges: readonly DraftEdge[];
  readonly outgoing: readonly (readonly number[])[];
  readonly opensLoop: (node: number) => boolean;
}

export interface Sorted {
  /** Edges that close a loop at its loop node. */
  readonly back: ReadonlySet<number>;
  /** Edges drawn to a loop handle from nodes that only run after the loop; they are not followed. */
  readonly stray: readonly number[];
  /** Edges that close a cycle without a loop node, each with the nodes of that cycle. */
  readonly cycles: readonly { readonly edge: number; readonly nodes: readonly number[] }[];
}

/** Marks of every node reachable from `starts` along edges that `follows` accepts; `starts` included. */
export function reachable(
  shape: Pick<GraphShape, 'nodeCount' | 'edges' | 'outgoing'>,
  starts: Iterable<number>,
  follows: (edge: number) => boolean,
): Uint8Array {
  const seen = new Uint8Array(shape.nodeCount);
  const stack: number[] = [];
  for (const start of starts) {
    if (seen[start] === 1) continue;
    seen[start] = 1;
    stack.push(start);
  }
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    for (const edge of shape.outgoing[node] ?? []) {
      const target = shape.edges[edge]?.target ?? node;
      if (seen[target] === 1 || !follows(edge)) continue;
      seen[target] = 1;
      stack.push(target);
    }
  }
  return seen;
}

/**
 * Finds the edges that close loops and the ones that close plain cycles.
 *
 * An edge to a loop handle is a back edge when it starts in the loop's body. Other edges to a loop node are back
 * edges when they return to a loop that the way from a start node has entered: exports often leave handles out.
 */
export function sortCycles(shape: GraphShape): Sorted {
  const back = new Set<number>();
  const stray: number[] = [];
  for (const [edge, { toLoopHandle }] of shape.edges.entries()) if (toLoopHandle) back.add(edge);
  releaseEntries(shape, back, stray);
  const cycles = closeByDepthFirst(shape, back, new Set(stray));
  return { back, stray, cycles };
}

/** An edge to a loop handle that does not come from the body is an entry drawn to the wrong handle, or leads nowhere. */
function releaseEntries(shape: GraphShape, back: Set<number>, stray: number[]): void {
  const drawn = new Set(back);
  const isOrdinary = (edge: number): boolean => !drawn.has(edge);
  const byLoop = new Map<number, number[]>();
  for (const edge of drawn) {
    const loop = shape.edges[edge]?.target ?? -1;
    const edges = byLoop.get(loop);
    if (edges) edges.push(edge);
    else byLoop.set(loop, [edge]);
  }
  for (const [loop, edges] of byLoop) {
    const bodyStarts = (shape.outgoing[loop] ?? []).filter(
      (edge) => isOrdinary(edge) && shape.edges[edge]?.port === 'loop',
    );
    const body = reachable(
      shape,
      bodyStarts.map((edge) => shape.edges[edge]?.target ?? loop),
      isOrdinary,
    );
    const after = reachable(shape, [loop], isOrdinary);
    for (const edge of edges) {
      const { source, port } = shape.edges[edge] ?? { source: loop, port: '' };
      if (body[source] === 1 || (source === loop && port === 'loop')) continue;
      back.delete(edge);
      if (after[source] === 1) stray.push(edge);
    }
  }
}

const NEW = 0;
const OPEN = 1;
const CLOSED = 2;

function closeByDepthFirst(
  shape: GraphShape,
  back: Set<number>,
  stray: ReadonlySet<number>,
): Sorted['cycles'] {
  const cycles: { edge: number; nodes: number[] }[] = [];
  const colour = new Uint8Array(shape.nodeCount);
  const next = new Uint32Array(shape.nodeCount);
  const path: number[] = [];
  const isSkipped = (edge: number): boolean => back.has(edge) || stray.has(edge);

  for (const root of searchOrder(shape, isSkipped)) {
    if (colour[root] !== NEW) continue;
    colour[root] = OPEN;
    path.push(root);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const position = next[node] ?? 0;
      const edge = shape.outgoing[node]?.[position];
      if (edge === undefined) {
        colour[node] = CLOSED;
        path.pop();
        continue;
      }
      next[node] = position + 1;
      const target = shape.edges[edge]?.target ?? node;
      if (isSkipped(edge) || colour[target] === CLOSED) continue;
      if (colour[target] === NEW) {
        colour[target] = OPEN;
        path.push(target);
      } else if (shape.opensLoop(target)) {
        back.add(edge);
      } else {
        cycles.push({ edge, nodes: path.slice(path.lastIndexOf(target)) });
      }
    }
  }
  return cycles;
}

/** Start nodes first, so that a way into a loop always meets its loop node before its body. */
function* searchOrder(shape: GraphShape, isSkipped: (edge: number) => boolean): Generator<number> {
  const entered = new Uint8Array(shape.nodeCount);
  for (const [edge, { target }] of shape.edges.entries()) if (!isSkipped(edge)) entered[target] = 1;
  for (let node = 0; node < shape.nodeCount; node++) if (entered[node] === 0) yield node;
  for (let node = 0; node < shape.nodeCount; node++) if (shape.opensLoop(node)) yield node;
  for (let node = 0; node < shape.nodeCount; node++) yield node;
}
