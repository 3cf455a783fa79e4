import type { CompiledEdge, CompiledLoop } from '../compiled.ts';
import { type GraphShape, reachable } from './edges/cycles.ts';

export interface LoopPlan {
  readonly loops: readonly CompiledLoop[];
  readonly edges: readonly CompiledEdge[];
  /** Innermost loop around each node, or -1. */
  readonly loopOf: Int32Array;
  /** Back edges that do not start in their loop's body, which happens when loops overlap. */
  readonly stray: readonly number[];
  /** Pairs of loop nodes that share body nodes although neither contains the other. */
  readonly overlaps: readonly (readonly [number, number])[];
}

interface LoopDraft {
  node: number;
  outer: number;
  depth: number;
}

/**
 * The body of a loop is what its `loop` handle leads to, apart from what its other handles lead to: such nodes
 * run once, when the loop has ended.
 *
 * @param order Nodes in an order that has no forward edge going back, so that outer loops come first.
 */
export function planLoops(shape: GraphShape, order: readonly number[], back: ReadonlySet<number>): LoopPlan {
  const loopOf = new Int32Array(shape.nodeCount).fill(-1);
  const drafts: LoopDraft[] = [];
  const opened = new Map<number, number>();
  const overlaps: [number, number][] = [];
  const isForward = (edge: number): boolean => !back.has(edge);
  for (const node of order) {
    if (!shape.opensLoop(node)) continue;
    const outer = loopOf[node] ?? -1;
    const loop = drafts.length;
    drafts.push({ node, outer, depth: (drafts[outer]?.depth ?? 0) + 1 });
    opened.set(node, loop);
    const [inside, beyond] = handleTargets(shape, node, isForward);
    const body = reachable(shape, inside, isForward);
    const after = reachable(shape, beyond, isForward);
    const others = new Set<number>();
    for (let member = 0; member < shape.nodeCount; member++) {
      if (body[member] !== 1 || after[member] === 1) continue;
      const around = loopOf[member] ?? -1;
      if (around === outer) loopOf[member] = loop;
      else if (isWithin(drafts, around, outer)) others.add(around);
    }
    for (const other of others) overlaps.push([node, drafts[other]?.node ?? node]);
  }
  const isInside = (node: number, loop: number): boolean => isWithin(drafts, loopOf[node] ?? -1, loop);

  const stray: number[] = [];
  const edges = shape.edges.map(({ id, source, target, port }, index): CompiledEdge => {
    const from = port === 'loop' && opened.has(source) ? (opened.get(source) ?? -1) : (loopOf[source] ?? -1);
    if (back.has(index)) {
      const loop = opened.get(target) ?? -1;
      if (from === loop || isInside(source, loop))
        return { id, source, target, port, kind: 'back', exit: -1, enters: -1 };
      stray.push(index);
      return { id, source, target, port: '', kind: 'back', exit: -1, enters: -1 };
    }
    let exit = -1;
    for (let around = from; around >= 0; around = drafts[around]?.outer ?? -1) {
      if (!isInside(target, around)) exit = around;
    }
    let enters = -1;
    for (let around = loopOf[target] ?? -1; around >= 0; around = drafts[around]?.outer ?? -1) {
      if (!isWithin(drafts, from, around)) enters = around;
    }
    return { id, source, target, port, kind: exit < 0 ? 'forward' : 'exit', exit, enters };
  });
  const loops = fillLoops(drafts, { edges, loopOf, order, opened });
  return { loops, edges, loopOf, stray, overlaps };
}

/** Whether `loop` is `around` or a loop inside it; every loop is within -1. */
function isWithin(drafts: readonly LoopDraft[], loop: number, around: number): boolean {
  for (let at = loop; at >= 0; at = drafts[at]?.outer ?? -1) if (at === around) return true;
  return around === -1 && loop >= 0;
}

interface Filling {
  edges: readonly CompiledEdge[];
  loopOf: Int32Array;
  order: readonly number[];
  opened: ReadonlyMap<number, number>;
}

function fillLoops(drafts: readonly LoopDraft[], filling: Filling): CompiledLoop[] {
  const { edges, loopOf, order, opened } = filling;
  const own = drafts.map(() => 0);
  const body: number[][] = drafts.map(() => []);
  for (const node of order) {
    const inner = loopOf[node] ?? -1;
    if (inner >= 0) own[inner] = (own[inner] ?? 0) + 1;
    for (let loop = inner; loop >= 0; loop = drafts[loop]?.outer ?? -1) body[loop]?.push(node);
  }
  const inside: number[][] = drafts.map(() => []);
  const entries: number[][] = drafts.map(() => []);
  const backs: number[][] = drafts.map(() => []);
  const exits: number[][] = drafts.map(() => []);
  for (const [index, { source, target, port, kind, exit }] of edges.entries()) {
    const start = port === 'loop' && opened.has(source) ? (opened.get(source) ?? -1) : (loopOf[source] ?? -1);
    for (let loop = start; loop >= 0; loop = drafts[loop]?.outer ?? -1) inside[loop]?.push(index);
    if (kind !== 'back') {
      for (let loop = loopOf[target] ?? -1; loop >= 0; loop = drafts[loop]?.outer ?? -1) {
        if (!isWithin(drafts, start, loop)) entries[loop]?.push(index);
      }
    }
    if (kind === 'back' && port !== '') backs[opened.get(target) ?? -1]?.push(index);
    if (kind === 'exit') exits[exit]?.push(index);
  }
  return drafts.map((draft, index) => ({
    index,
    ...draft,
    body: body[index] ?? [],
    own: own[index] ?? 0,
    edges: inside[index] ?? [],
    entries: entries[index] ?? [],
    back: withoutSelfEdges(backs[index] ?? [], draft.node, edges),
    exits: exits[index] ?? [],
  }));
}

/** Exports draw a loop to itself beside the way through its body; only the body has something to deliver. */
function withoutSelfEdges(
  back: readonly number[],
  node: number,
  edges: readonly CompiledEdge[],
): readonly number[] {
  const fromBody = back.filter((edge) => edges[edge]?.source !== node);
  return fromBody.length > 0 ? fromBody : back;
}

/** Targets of the `loop` handle, and targets of all other handles. */
function handleTargets(
  shape: GraphShape,
  node: number,
  isForward: (edge: number) => boolean,
): [number[], number[]] {
  const inside: number[] = [];
  const beyond: number[] = [];
  for (const edge of shape.outgoing[node] ?? []) {
    const { target, port } = shape.edges[edge] ?? { target: node, port: '' };
    if (isForward(edge)) (port === 'loop' ? inside : beyond).push(target);
  }
  return [inside, beyond];
}
