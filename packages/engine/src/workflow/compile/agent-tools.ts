import type { JsonObject } from '../../json.ts';
import { resolveEffect } from '../../node-type/define-node.ts';
import { fieldMeta } from '../../node-type/fields.ts';
import type { CompiledNode } from '../compiled.ts';
import type { WorkflowDocument } from '../schema.ts';
import type { DraftEdge } from './edges/cycles.ts';
import { isAgentEdge, isToolEdge } from './edges/handles.ts';
import type { NodeDraft } from './node.ts';
import { compileParams } from './params.ts';

/**
 * Nodes that only an agent calls: its tools, and the agents that an orchestrator names in `subAgentLabels`. They are
 * no start nodes, although nothing leads to them. A node that also has an ordinary edge takes part in the flow.
 */
export function agentOnlyNodes(
  document: WorkflowDocument,
  nodes: readonly NodeDraft[],
  candidates: readonly DraftEdge[],
): ReadonlySet<number> {
  const called = calledByAgents(document, nodes);
  if (called.size === 0) return new Set();
  const inFlow = new Set(candidates.flatMap(({ source, target }) => [source, target]));
  return new Set([...called].map(({ index }) => index).filter((index) => !inFlow.has(index)));
}

interface Labelled {
  readonly id: string;
  readonly type: string;
  readonly label: string;
  readonly data: JsonObject;
}

function calledByAgents<N extends Labelled>(
  { edges }: WorkflowDocument,
  nodes: readonly N[],
): ReadonlySet<N> {
  const tools = new Set(edges.filter(isAgentEdge).map(({ source }) => source));
  const orchestrators = nodes.filter(({ data }) => data['isOrchestrator'] === true);
  const isSubAgent = (node: N): boolean =>
    orchestrators.some((orchestrator) => {
      const named = orchestrator.data['subAgentLabels'];
      return (
        orchestrator.id !== node.id &&
        orchestrator.type === node.type &&
        Array.isArray(named) &&
        named.includes(node.label)
      );
    });
  return new Set(nodes.filter((node) => tools.has(node.id) || isSubAgent(node)));
}

/** Ids of the nodes that only agents call, for readers of a document that do not compile it. */
export function agentOnlyIds(document: WorkflowDocument): ReadonlySet<string> {
  const { nodes, edges } = document;
  const inFlow = new Set(
    edges.filter((edge) => !isAgentEdge(edge)).flatMap(({ source, target }) => [source, target]),
  );
  const labelled = nodes.map(({ id, type, data }) => {
    const { label } = data;
    return { id, type, data, label: typeof label === 'string' && label !== '' ? label : id };
  });
  const called = calledByAgents(document, labelled);
  return new Set([...called].map(({ id }) => id).filter((id) => !inFlow.has(id)));
}

/** Nodes on the tool handle of each agent, in the order of the edges; a node that is connected twice is listed once. */
export function toolsByAgent(
  { edges }: WorkflowDocument,
  indexOf: ReadonlyMap<string, number>,
): ReadonlyMap<number, readonly number[]> {
  const tools = new Map<number, number[]>();
  for (const edge of edges.filter(isToolEdge)) {
    const tool = indexOf.get(edge.source);
    const agent = indexOf.get(edge.target);
    if (tool === undefined || agent === undefined || tool === agent) continue;
    const known = tools.get(agent) ?? [];
    if (!known.includes(tool)) tools.set(agent, [...known, tool]);
  }
  return tools;
}

/** Nodes that only agents call, with the node of the flow whose place they see the run from: their agent's. */
export function viewpoints(
  nodes: readonly Pick<NodeDraft, 'index' | 'type' | 'label' | 'data'>[],
  tools: ReadonlyMap<number, readonly number[]>,
  onlyCalled: ReadonlySet<number>,
): ReadonlyMap<number, number> {
  const callerOf = new Map<number, number>();
  const note = (called: number, caller: number): void => {
    if (onlyCalled.has(called) && !callerOf.has(called)) callerOf.set(called, caller);
  };
  for (const [agent, called] of tools) for (const tool of called) note(tool, agent);
  for (const { index, type, data } of nodes) {
    const named = data['isOrchestrator'] === true ? data['subAgentLabels'] : undefined;
    if (!Array.isArray(named)) continue;
    for (const other of nodes)
      if (other.type === type && other.index !== index && named.includes(other.label))
        note(other.index, index);
  }
  return new Map(Array.from(callerOf.keys(), (node) => [node, firstInFlow(node, callerOf)]));
}

function firstInFlow(node: number, callerOf: ReadonlyMap<number, number>): number {
  const seen = new Set([node]);
  let current = node;
  for (let next = callerOf.get(current); next !== undefined; next = callerOf.get(current)) {
    if (seen.has(next)) return node;
    seen.add(next);
    current = next;
  }
  return current;
}

/** Name under which a called node reads what its agent has written into its fields. */
export const GIVEN = 'agentArguments';

/** Whether a text means less as data than it would as written: it has no expressions, and a command names no files. */
function isOnlyData({ definition }: CompiledNode, key: string, value: string): boolean {
  const field = definition.params.shape[key];
  return value.includes('$') || (field !== undefined && fieldMeta(field)?.kind === 'curl');
}

/**
 * A node with some fields filled in by an agent. What a model wrote is data: it is never evaluated as an expression, also
 * not where a node evaluates its stored text by itself.
 */
export function withGiven(node: CompiledNode, given: JsonObject): CompiledNode {
  if (Object.keys(given).length === 0) return node;
  const literal = { ...node.data, ...given };
  const params = compileParams(node.definition, literal, new Set(Object.keys(given)));
  const read = Object.entries(given).map(([key, value]) => [
    key,
    typeof value === 'string' && isOnlyData(node, key, value) ? `$${GIVEN}.${key}` : value,
  ]);
  return {
    ...node,
    data: { ...node.data, ...(Object.fromEntries(read) as JsonObject) },
    params,
    resolveParams: params.resolve,
    effect: resolveEffect(node.definition, literal),
  };
}
