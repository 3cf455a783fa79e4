import { isBlockedKey } from '../../json.ts';
import type { Catalog } from '../../node-type/define-node.ts';
import type { Failure } from '../../run/node-run.ts';
import type { CompiledEdge, GraphIssue, GraphIssueCode, GraphNode, WorkflowGraph } from '../compiled.ts';
import { refusalMessage } from '../refusal.ts';
import type { WorkflowDocument } from '../schema.ts';
import { agentOnlyNodes, toolsByAgent, viewpoints } from './agent-tools.ts';
import { withoutEdgesBehindOutputs } from './behind-outputs.ts';
import { type DraftEdge, type GraphShape, reachable, sortCycles } from './edges/cycles.ts';
import { draftEdges } from './edges/draft-edges.ts';
import { Precedence } from './edges/precedence.ts';
import { findBehindError, findClosed } from './guards.ts';
import { planLoops } from './loops.ts';
import { draftNode, type NodeDraft } from './node.ts';

/** A graph with the order of its nodes, from which compilation resolves references. */
export interface OrderedGraph extends WorkflowGraph {
  readonly precedence: Precedence;
}

/**
 * Nodes, edges and loops as runs follow them. Parameters are not read, so that the canvas can check connections without
 * loading the expression language. Nothing here recurses over the graph, so depth and width have no limit.
 */
export function compileGraph(document: WorkflowDocument, catalog: Catalog): OrderedGraph {
  const issues: GraphIssue[] = [];
  const drafts = draftNodes(document, catalog, issues);
  const indexOf = new Map(drafts.map((node) => [node.id, node.index]));
  const candidates = draftEdges({ edges: document.edges, nodes: drafts, indexOf }, issues);
  const onlyCalled = agentOnlyNodes(document, drafts, candidates);
  const opensLoop = (node: number): boolean => drafts[node]?.definition.traits.loop === true;
  const counting = withoutEdgesBehindOutputs(drafts, candidates, (edges) =>
    buildShape(drafts.length, edges, opensLoop),
  );
  const { flows, edges: drawn } = divideFlows({ drafts, candidates: counting, onlyCalled }, issues);

  const { kept, back } = closeLoops(drafts, drawn, issues, opensLoop);
  const shape = buildShape(drafts.length, kept, opensLoop);
  const plan = planLoops(shape, new Precedence(plainOrder(shape, back)).order, back);
  for (const edge of plan.stray) issues.push(edgeIssue('stray_back_edge', kept[edge]));
  for (const nodes of plan.overlaps) issues.push({ code: 'loops_overlap', nodes });
  const opened = new Int32Array(drafts.length).fill(-1);
  for (const loop of plan.loops) opened[loop.node] = loop.index;
  const precedence = new Precedence({
    nodeCount: drafts.length,
    edges: plan.edges,
    loops: plan.loops,
    loopOf: plan.loopOf,
    opens: (node) => opened[node] ?? -1,
  });
  if (precedence.isStuck && plan.overlaps.length === 0) issues.push({ code: 'loops_overlap', nodes: [] });

  const nodes = drafts.map(
    (draft, index): GraphNode => ({
      ...draft,
      flow: flows[index] ?? 'main',
      loop: plan.loopOf[index] ?? -1,
      opens: opened[index] ?? -1,
    }),
  );
  for (const node of nodes) {
    if (node.flow !== 'none' && isBlockedKey(node.label))
      issues.push({ code: 'blocked_label', nodes: [node.index] });
  }
  const tools = toolsByAgent(document, indexOf);
  return {
    ...assemble({ document, nodes, edges: plan.edges, loops: plan.loops, precedence, issues, indexOf }),
    ...calledNodes(tools, viewpoints(drafts, tools, onlyCalled)),
  };
}

const NO_TOOLS: readonly number[] = [];

function calledNodes(
  tools: ReadonlyMap<number, readonly number[]>,
  seenFrom: ReadonlyMap<number, number>,
): Pick<WorkflowGraph, 'listTools' | 'getViewpoint'> {
  return {
    listTools: (node) => tools.get(node) ?? NO_TOOLS,
    getViewpoint: (node) => seenFrom.get(node) ?? node,
  };
}

/** Leaves out the edges that would make a run wait for itself, and returns which of the others close a loop. */
function closeLoops(
  drafts: readonly NodeDraft[],
  drawn: readonly DraftEdge[],
  issues: GraphIssue[],
  opensLoop: (node: number) => boolean,
): { kept: DraftEdge[]; back: Set<number> } {
  const sorted = sortCycles(buildShape(drafts.length, drawn, opensLoop));
  for (const edge of sorted.stray) issues.push(edgeIssue('stray_back_edge', drawn[edge]));
  for (const { edge, nodes } of sorted.cycles) {
    issues.push({ code: 'cycle', nodes, edge_id: drawn[edge]?.id ?? '' });
  }
  const removed = new Set([...sorted.stray, ...sorted.cycles.map(({ edge }) => edge)]);
  const kept: DraftEdge[] = [];
  const back = new Set<number>();
  for (const [index, edge] of drawn.entries()) {
    if (removed.has(index)) continue;
    if (sorted.back.has(index)) back.add(kept.length);
    kept.push(edge);
  }
  return { kept, back };
}

function draftNodes(document: WorkflowDocument, catalog: Catalog, issues: GraphIssue[]): NodeDraft[] {
  const drafts: NodeDraft[] = [];
  const seen = new Set<string>();
  for (const node of document.nodes) {
    if (seen.has(node.id)) {
      issues.push({ code: 'duplicate_node_id', nodes: [], detail: node.id });
      continue;
    }
    seen.add(node.id);
    drafts.push(draftNode(node, drafts.length, catalog));
  }
  return drafts;
}

interface Division {
  readonly drafts: readonly NodeDraft[];
  readonly candidates: readonly DraftEdge[];
  /** Nodes that only an agent calls; they have no edges among the candidates. */
  readonly onlyCalled: ReadonlySet<number>;
}

/**
 * Everything after an error handler belongs to the error flow and takes no part in normal scheduling, even if
 * the main flow leads there too.
 */
function divideFlows(
  { drafts, candidates, onlyCalled }: Division,
  issues: GraphIssue[],
): { flows: GraphNode['flow'][]; edges: DraftEdge[] } {
  const shape = buildShape(drafts.length, candidates, () => false);
  const handlers = drafts.filter(({ definition }) => definition.traits.schedule === 'error_flow');
  const inErrorFlow = reachable(
    shape,
    handlers.map(({ index }) => index),
    () => true,
  );
  const flows = drafts.map(({ definition, index }): GraphNode['flow'] => {
    if (definition.traits.schedule === 'never' || onlyCalled.has(index)) return 'none';
    return inErrorFlow[index] === 1 ? 'error' : 'main';
  });
  const edges = candidates.filter((edge) => {
    if (flows[edge.source] === flows[edge.target]) return true;
    issues.push(edgeIssue('shared_with_error_flow', edge));
    return false;
  });
  return { flows, edges };
}

function buildShape(
  nodeCount: number,
  edges: readonly DraftEdge[],
  opensLoop: (node: number) => boolean,
): GraphShape {
  const outgoing: number[][] = Array.from({ length: nodeCount }, () => []);
  for (const [index, { source }] of edges.entries()) outgoing[source]?.push(index);
  return { nodeCount, edges, outgoing, opensLoop };
}

/** Order by forward edges alone, before loops are known. */
function plainOrder({ nodeCount, edges }: GraphShape, back: ReadonlySet<number>) {
  return {
    nodeCount,
    edges: edges.map(({ id, source, target, port }, index): CompiledEdge => {
      return { id, source, target, port, kind: back.has(index) ? 'back' : 'forward', exit: -1, enters: -1 };
    }),
    loops: [],
    loopOf: new Int32Array(nodeCount).fill(-1),
    opens: () => -1,
  };
}

function edgeIssue(code: GraphIssueCode, edge: DraftEdge | undefined): GraphIssue {
  return edge === undefined
    ? { code, nodes: [] }
    : { code, nodes: [edge.source, edge.target], edge_id: edge.id };
}

interface Parts {
  document: WorkflowDocument;
  nodes: readonly GraphNode[];
  edges: readonly CompiledEdge[];
  loops: WorkflowGraph['loops'];
  precedence: Precedence;
  issues: readonly GraphIssue[];
  indexOf: ReadonlyMap<string, number>;
}

function assemble(parts: Parts): Omit<OrderedGraph, 'listTools' | 'getViewpoint'> {
  const { document, nodes, edges, loops, precedence, issues, indexOf } = parts;
  const incoming: number[][] = nodes.map(() => []);
  const outgoing: number[][] = nodes.map(() => []);
  const waits = new Int32Array(nodes.length);
  const waitFor = (node: number): void => {
    waits[node] = (waits[node] ?? 0) + 1;
  };
  for (const [index, { source, target, kind, enters }] of edges.entries()) {
    outgoing[source]?.push(index);
    incoming[target]?.push(index);
    if (kind !== 'back') waitFor(target);
    const loop = loops[enters];
    if (loop) waitFor(loop.node);
  }
  const byLabel = new Map<string, number[]>();
  for (const { label, index } of nodes) {
    const same = byLabel.get(label);
    if (same) same.push(index);
    else byLabel.set(label, [index]);
  }
  const withLabel = (label: string): readonly number[] => byLabel.get(label) ?? [];
  const isRoot = (node: GraphNode): boolean => node.flow === 'main' && waits[node.index] === 0;
  return {
    document,
    nodes,
    edges,
    loops,
    incoming,
    outgoing,
    waits,
    roots: nodes.filter(isRoot).map(({ index }) => index),
    error_roots: nodes
      .filter(({ definition }) => definition.traits.schedule === 'error_flow')
      .map(indexOfNode),
    terminals: nodes.filter((node) => isTerminal(node, outgoing[node.index] ?? [], edges)).map(indexOfNode),
    rank: precedence.rank,
    refusal: findRefusal(issues, nodes),
    issues,
    indexOf: (id) => indexOf.get(id) ?? -1,
    withLabel,
    closedBy: findClosed({ nodes, edges, loops, incoming, outgoing }),
    behindError: findBehindError({ nodes, edges, loops, incoming, outgoing }),
    precedes: (first, then) => precedence.after(first)[then] === 1,
    precedence,
  };
}

function indexOfNode({ index }: GraphNode): number {
  return index;
}

/** An end point: an output kind, or a node that no edge leaves. Edges that are never followed do not count. */
function isTerminal(node: GraphNode, outgoing: readonly number[], edges: readonly CompiledEdge[]): boolean {
  if (node.flow !== 'main') return false;
  if (node.definition.traits.terminal !== 'none') return true;
  return outgoing.every((edge) => edges[edge]?.port === '');
}

function findRefusal(issues: readonly GraphIssue[], nodes: readonly GraphNode[]): Failure | null {
  for (const issue of issues) {
    const labels = issue.nodes.map((index) => nodes[index]?.label ?? '');
    const message = refusalMessage(issue.code, labels);
    if (message !== null) return { kind: 'params', message, final: true };
  }
  return null;
}
