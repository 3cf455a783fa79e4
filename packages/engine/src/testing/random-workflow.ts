import type { JsonObject } from '../json.ts';
import type { WorkflowDocument, WorkflowEdge, WorkflowNode } from '../workflow/schema.ts';

/** Whole numbers below a bound, the same ones for the same seed. */
export type Dice = (below: number) => number;

/** Mulberry32: small, and good enough to draw graphs and orders with. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export interface RandomShape {
  /** Nodes of the outermost level, about. */
  size: number;
  /** How deep loops may nest. */
  depth: number;
}

interface Region {
  /** Ways into the region: node ids with the handle that leads in. */
  readonly entries: readonly Exit[];
  readonly size: number;
  readonly depth: number;
}

interface Exit {
  readonly id: string;
  readonly handle?: string;
}

/**
 * A document with branches, joins, dead ends, error handles, inactive nodes, and loops that nest, have several back
 * edges or none, are entered from beside and left early. Types are those of the test catalogue.
 */
export function randomWorkflow(dice: Dice, shape: RandomShape): WorkflowDocument {
  const nodes: WorkflowNode[] = [];
  const edges: WorkflowEdge[] = [];

  const add = (type: string, data: JsonObject): string => {
    const id = `n${nodes.length}`;
    nodes.push({ id, type, position: { x: 0, y: 0 }, data: { label: id, ...data } });
    return id;
  };
  const connect = (from: Exit, target: string, targetHandle?: string): void => {
    const id = `e${edges.length}`;
    edges.push({
      id,
      source: from.id,
      target,
      ...(from.handle === undefined ? {} : { sourceHandle: from.handle }),
      ...(targetHandle === undefined ? {} : { targetHandle }),
    });
  };

  const grow = (region: Region): Exit[] => {
    const ways: Exit[] = [...region.entries];
    for (let count = 0; count < region.size; count++) {
      const made = addNode(region.depth);
      const inputs = 1 + (dice(3) === 0 ? dice(3) : 0);
      for (let input = 0; input < inputs; input++)
        connect(ways[dice(ways.length)] ?? { id: made.id }, made.id);
      ways.push(...made.exits);
      for (const exit of made.inner) if (dice(4) === 0) ways.push(exit);
    }
    return ways;
  };

  const addNode = (depth: number): { id: string; exits: Exit[]; inner: Exit[] } => {
    const inactive: JsonObject = dice(12) === 0 ? { active: false } : {};
    const kind = dice(9);
    if (kind === 0) {
      const id = add('condition', inactive);
      return { id, exits: ports(id, ['true', 'false']), inner: [] };
    }
    if (kind === 1) {
      const id = add('switch', { cases: ['a', 'b'], ...inactive });
      return { id, exits: ports(id, ['case-0', 'case-1', 'default']), inner: [] };
    }
    if (kind <= 4 && depth > 0) return addLoop(depth, inactive);
    const onError = dice(4) === 0;
    const retry = dice(6) === 0;
    const id = add('step', {
      ...inactive,
      ...(onError ? { onErrorEnabled: true } : {}),
      ...(retry ? { retryEnabled: true, retryMaxAttempts: 3 } : {}),
    });
    return { id, exits: onError ? [{ id }, { id }, { id, handle: 'error' }] : [{ id }], inner: [] };
  };

  const addLoop = (depth: number, data: JsonObject): { id: string; exits: Exit[]; inner: Exit[] } => {
    const id = add('loop', data);
    const inner = grow({ entries: [{ id, handle: 'loop' }], size: 1 + dice(5), depth: depth - 1 });
    const backs = dice(8) === 0 ? 0 : 1 + dice(2);
    for (let back = 0; back < backs; back++) connect(inner[dice(inner.length)] ?? { id }, id, 'loop');
    return { id, exits: [{ id, handle: 'done' }], inner: inner.slice(1) };
  };

  const starts = Array.from({ length: 1 + dice(2) }, () => ({ id: add('trigger', {}) }));
  grow({ entries: starts, size: shape.size, depth: shape.depth });
  return { nodes: shuffled(nodes, dice), edges };
}

function ports(id: string, handles: readonly string[]): Exit[] {
  return handles.map((handle) => ({ id, handle }));
}

/** Documents list nodes in the order people drew them, which need not be that of the flow. */
function shuffled(nodes: WorkflowNode[], dice: Dice): WorkflowNode[] {
  if (dice(2) === 0) return nodes;
  const result = [...nodes];
  for (let at = result.length - 1; at > 0; at--) {
    const other = dice(at + 1);
    const node = result[at];
    const swapped = result[other];
    if (!node || !swapped) continue;
    result[at] = swapped;
    result[other] = node;
  }
  return result;
}
