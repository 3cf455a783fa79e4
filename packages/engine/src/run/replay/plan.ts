import type { CompiledWorkflow, GraphNode } from '../../workflow/compiled.ts';
import { RunMachine } from '../machine.ts';
import type { RunOptions } from '../options.ts';
import type { NodeFinished, RecordedResult } from '../record/events.ts';
import { loopsAround, notBehind, parseRounds, placeKey, type ReplayPlace } from './before.ts';

/** A result of the earlier run. */
export interface PastResult {
  readonly result: NodeFinished;
  /** False when only the masked form is left: the nodes behind it would not get what they got then. */
  readonly is_whole: boolean;
}

/** Where a replay begins. */
export type ReplayFrom =
  /** Continues what failed or was stopped; everything that succeeded is kept. */
  | { readonly kind: 'failed' }
  /** At the node, in the given round; by default in the one that failed, else in the last one that it had. */
  | {
      readonly kind: 'node';
      readonly node_id: string;
      readonly iteration?: string | undefined;
      /** Runs nothing else. */
      readonly only?: boolean | undefined;
    };

export type ReplayRefusal =
  | 'unknown_node'
  | 'error_flow'
  | 'not_run'
  | 'loop_alone'
  | 'unknown_round'
  | 'not_reached'
  | 'no_result'
  | 'masked';

export interface Replay {
  readonly kind: 'replay';
  /** Results that stand, in their order. */
  readonly results: readonly NodeFinished[];
  /** Null when the earlier run stopped between nodes. */
  readonly at: ReplayPlace | null;
  /** Places that may start, when only one node is to run; others neither run nor are skipped. */
  readonly starts: readonly ReplayPlace[] | null;
}

export interface RefusedReplay {
  readonly kind: 'refused';
  readonly reason: ReplayRefusal;
  /** Label of the node that the reason is about, or its id when the graph does not have it. */
  readonly node: string;
  /** Label of the node where the replay was to begin. */
  readonly from: string;
}

const getNodeLabel = ({ nodes }: CompiledWorkflow, index: number, id: string): string =>
  nodes[index]?.label ?? id;

const isHarmless = ({ effect }: GraphNode): boolean => effect === 'pure' || effect === 'read';

/** Rows of nodes that the graph has in that place still; failures and skipped nodes are decided anew. */
function usableRows(graph: CompiledWorkflow, past: readonly PastResult[]): PastResult[] {
  return past.filter(({ result }) => {
    const node = graph.nodes[graph.indexOf(result.node_id)];
    return result.status === 'success' && node?.flow === 'main' && node.type === result.node_type;
  });
}

/** The round that a replay of a node begins in: the one that failed, else the last one. */
function lastRound(
  graph: CompiledWorkflow,
  node: GraphNode,
  past: readonly PastResult[],
): string | undefined {
  const depth = loopsAround(graph, node.index).length;
  if (depth === 0) return '';
  const own = past
    .map(({ result }) => result)
    .filter(({ node_id, iteration }) => node_id === node.id && parseRounds(iteration).length === depth)
    .toSorted((one, two) => one.sequence - two.sequence);
  return (own.findLast(({ status }) => status === 'error') ?? own.at(-1))?.iteration;
}

interface Dry {
  readonly starts: readonly ReplayPlace[];
  readonly skipped: ReadonlySet<string>;
}

/** The nodes that the machine starts first with these results, without running anything. */
function tryOut(graph: CompiledWorkflow, stands: readonly PastResult[], options: RunOptions): Dry {
  const recorded = new Map<string, RecordedResult>(stands.map(({ result }) => [placeKey(result), result]));
  const machine = new RunMachine(graph, options);
  machine.begin(0, { recorded: (node_id, iteration) => recorded.get(placeKey({ node_id, iteration })) });
  const starts: ReplayPlace[] = [];
  const skipped = new Set<string>();
  for (;;) {
    const task = machine.takeReady(0);
    if (task) starts.push({ node_id: task.node.id, iteration: task.iteration });
    const isQuiet = !task && !machine.hasEvents;
    for (let event = machine.takeEvent(); event; event = machine.takeEvent()) {
      if (event.type === 'node_finished' && event.status === 'skipped') skipped.add(placeKey(event));
    }
    if (isQuiet || machine.isFinished) return { starts, skipped };
  }
}

/**
 * Decides which results of an earlier run stand in a run that begins at a node of it, possibly on another version of the
 * graph. Every result that does not follow from the node is kept; nodes without a result run.
 *
 * @param options of the run that is to begin
 */
export function planReplay(
  graph: CompiledWorkflow,
  past: readonly PastResult[],
  { from, options }: { from: ReplayFrom; options: RunOptions },
): Replay | RefusedReplay {
  const rows = usableRows(graph, past);
  if (from.kind === 'failed') {
    const failed = past
      .map(({ result }) => result)
      .filter((result) => result.status === 'error' && isInMainFlow(graph, result.node_id))
      .toSorted((one, two) => one.sequence - two.sequence);
    const tests = failed.map((result) => notBehind(graph, result));
    const stands = rows.filter(({ result }) => tests.every((test) => test(result)));
    const [first] = failed;
    const at = first ? { node_id: first.node_id, iteration: first.iteration } : null;
    return withoutMasked(graph, stands, { at, starts: null });
  }
  const index = graph.indexOf(from.node_id);
  const node = graph.nodes[index];
  const refuse = (reason: ReplayRefusal, about = index, id = from.node_id): RefusedReplay => ({
    kind: 'refused',
    reason,
    node: getNodeLabel(graph, about, id),
    from: getNodeLabel(graph, index, from.node_id),
  });
  if (!node) return refuse('unknown_node');
  if (node.flow !== 'main') return refuse(node.flow === 'error' ? 'error_flow' : 'not_run');
  if (from.only && node.opens >= 0) return refuse('loop_alone');
  const iteration = from.iteration ?? lastRound(graph, node, past);
  if (iteration === undefined || parseRounds(iteration).length !== loopsAround(graph, index).length)
    return refuse('unknown_round');
  const at = { node_id: node.id, iteration };
  const isBefore = notBehind(graph, at);
  const stands = rows.filter(({ result }) => isBefore(result));
  const { starts, skipped } = tryOut(graph, stands, options);
  if (!starts.some((place) => placeKey(place) === placeKey(at))) {
    if (skipped.has(placeKey(at))) return refuse('not_reached');
    const missing = starts.find((place) => !notBehind(graph, place)(at));
    if (!missing) return refuse(node.loop >= 0 ? 'unknown_round' : 'not_reached');
    const missed = graph.indexOf(missing.node_id);
    // A loop that begins anew has no such round.
    if (loopsAround(graph, index).includes(graph.nodes[missed]?.opens ?? -1)) return refuse('unknown_round');
    return refuse('no_result', missed, missing.node_id);
  }
  return withoutMasked(graph, stands, { at, starts: from.only ? [at] : null });
}

function isInMainFlow(graph: CompiledWorkflow, node_id: string): boolean {
  return graph.nodes[graph.indexOf(node_id)]?.flow === 'main';
}

/** A masked result of a node without an effect is computed again; one of another node cannot be had any more. */
function withoutMasked(
  graph: CompiledWorkflow,
  stands: readonly PastResult[],
  { at, starts }: Pick<Replay, 'at' | 'starts'>,
): Replay | RefusedReplay {
  const results: NodeFinished[] = [];
  const again: ReplayPlace[] = [];
  for (const { result, is_whole } of stands.toSorted(
    (one, two) => one.result.sequence - two.result.sequence,
  )) {
    const { node_id, iteration } = result;
    const node = graph.nodes[graph.indexOf(node_id)];
    if (is_whole) results.push(result);
    else if (node && isHarmless(node)) again.push({ node_id, iteration });
    else {
      const from = at === null ? node_id : at.node_id;
      return {
        kind: 'refused',
        reason: 'masked',
        node: getNodeLabel(graph, node?.index ?? -1, node_id),
        from: getNodeLabel(graph, graph.indexOf(from), from),
      };
    }
  }
  return { kind: 'replay', results, at, starts: starts && [...again, ...starts] };
}
