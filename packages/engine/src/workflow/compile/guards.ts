import type {
  ClosedNodes,
  CompiledEdge,
  CompiledLoop,
  GraphNode,
  Guard,
  WorkflowGraph,
} from '../compiled.ts';

const NONE: readonly number[] = [];
const NOTHING: ClosedNodes = { firmly: NONE, until_failure: NONE };

/** The graph facts that guards are computed from. */
interface Branching {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly CompiledEdge[];
  readonly loops: readonly CompiledLoop[];
  readonly incoming: WorkflowGraph['incoming'];
  readonly outgoing: WorkflowGraph['outgoing'];
}

/**
 * Which nodes a decision closes: those behind handles that were not selected and not also behind a selected one. Only
 * nodes with another way in are listed; everything else behind them is skipped because all its edges are dead.
 * Every answer is computed once per node and selection, so that runs only look it up.
 */
export function findClosed(graph: Branching): WorkflowGraph['closedBy'] {
  const known: (Map<string, ClosedNodes> | undefined)[] = graph.nodes.map(() => undefined);
  return (node, selected) => {
    const { ports, closes_joins } = graph.nodes[node] ?? { ports: NONE, closes_joins: true };
    if (ports.length < 2 || !closes_joins) return NOTHING;
    const key = selected.length === 1 ? (selected[0] ?? '') : [...selected].sort().join('\n');
    const answers = (known[node] ??= new Map());
    const found = answers.get(key);
    if (found) return found;
    const closed = closings(graph, node, selected);
    answers.set(key, closed);
    return closed;
  };
}

function closings(graph: Branching, node: number, selected: readonly string[]): ClosedNodes {
  const compiled = graph.nodes[node];
  if (compiled?.on_error !== true) return { firmly: closedNodes(graph, node, selected), until_failure: NONE };
  if (selected.includes('error')) {
    return decides(compiled) ? { firmly: closedNodes(graph, node, selected), until_failure: NONE } : NOTHING;
  }
  const firmly = closedNodes(graph, node, [...selected, 'error']);
  const isFirm = new Set(firmly);
  const until_failure = closedNodes(graph, node, selected).filter((target) => !isFirm.has(target));
  return { firmly, until_failure };
}

/** Whether the node chooses between sides: a review that fails has approved nothing, while a call that fails guards nothing. */
function decides({ ports, pause_ports, opens }: GraphNode): boolean {
  return opens < 0 && ports.filter((port) => port !== 'error' && !pause_ports.includes(port)).length > 1;
}

/** Nodes behind the `error` handle of each node, computed when they are asked for. */
export function findBehindError(graph: Branching): WorkflowGraph['behindError'] {
  const known: (ReadonlySet<number> | undefined)[] = graph.nodes.map(() => undefined);
  return (node) =>
    (known[node] ??= behind(
      graph,
      node,
      (graph.outgoing[node] ?? NONE).filter((edge) => graph.edges[edge]?.port === 'error'),
    ));
}

function closedNodes(graph: Branching, node: number, selected: readonly string[]): readonly number[] {
  const { edges, outgoing, incoming } = graph;
  const drawn = (outgoing[node] ?? NONE).filter((edge) => edges[edge]?.kind !== 'back');
  const isSelected = (edge: number): boolean => selected.includes(edges[edge]?.port ?? '');
  const others = drawn.filter((edge) => !isSelected(edge));
  if (others.length === 0) return NONE;
  const open = behind(graph, node, drawn.filter(isSelected));
  const shut = new Set([...behind(graph, node, others)].filter((target) => !open.has(target)));
  return [...shut].filter((target) =>
    (incoming[target] ?? NONE).some((edge) => {
      const { source = node, kind = 'back' } = edges[edge] ?? {};
      return kind !== 'back' && source !== node && !shut.has(source);
    }),
  );
}

/** Everything that the edges lead to. The walk ends at the loops around the node: they continue with another round. */
function behind(graph: Branching, node: number, starts: readonly number[]): Set<number> {
  const { nodes, edges, loops, outgoing } = graph;
  const around = new Set<number>();
  for (let loop = nodes[node]?.loop ?? -1; loop >= 0; loop = loops[loop]?.outer ?? -1) around.add(loop);
  const seen = new Set<number>();
  const stack = [...starts];
  for (let edge = stack.pop(); edge !== undefined; edge = stack.pop()) {
    const { kind, target, exit } = edges[edge] ?? { kind: 'back', target: node, exit: -1 };
    if (kind === 'back' || around.has(exit) || seen.has(target)) continue;
    seen.add(target);
    for (const next of outgoing[target] ?? NONE) stack.push(next);
  }
  return seen;
}

/** The decisions that a node with another way in depends on, for the editor. Handles as drawn. */
export function findGuards(workflow: WorkflowGraph, node: number): Guard[] {
  const { edges, incoming } = workflow;
  const waysIn = (incoming[node] ?? NONE).filter((edge) => edges[edge]?.kind !== 'back');
  // A decision never lists a node with a single way in; in a large graph asking all of them takes long.
  if (waysIn.length < 2) return [];
  const guards: Guard[] = [];
  for (const { index, ports, label, flow } of workflow.nodes) {
    if (ports.length < 2 || flow === 'none' || !workflow.precedes(index, node)) continue;
    const shut = ports.filter((port) => {
      const { firmly, until_failure } = workflow.closedBy(index, [port]);
      return firmly.includes(node) || until_failure.includes(node);
    });
    if (shut.length === 0) continue;
    guards.push({ node: index, label, ports: ports.filter((port) => !shut.includes(port)) });
  }
  return guards;
}
