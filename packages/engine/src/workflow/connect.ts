import { type Catalog, type Ports, receivingKind } from '../node-type/define-node.ts';
import { isDefaultHandle, isToolEdge, matchPort, TOOL_INPUT, TOOL_OUTPUT } from './compile/edges/handles.ts';
import { choosesWay, getDefinition, portsOfNode, upgraded } from './compile/node.ts';
import type { WorkflowGraph } from './compiled.ts';
import type { WorkflowEdge, WorkflowNode } from './schema.ts';

/** A requested connection of two nodes; absent handles mean the default ones, as in stored edges. */
export type Connection = Pick<WorkflowEdge, 'source' | 'target' | 'sourceHandle' | 'targetHandle'>;

export type ConnectionRefusal =
  | 'node_gone'
  | 'same_node'
  | 'no_such_output'
  | 'no_such_input'
  | 'already_connected'
  | 'not_a_tool'
  | 'cycle';

/** Handles of a node for its settings; an unknown type has the default pair. */
export function resolvePorts(catalog: Catalog, { type, data }: Pick<WorkflowNode, 'type' | 'data'>): Ports {
  const definition = getDefinition(catalog, type);
  return portsOfNode(definition, upgraded(definition, data));
}

/** Whether `closesJoins` means something for a node with these settings. */
export function offersJoins(catalog: Catalog, { type, data }: Pick<WorkflowNode, 'type' | 'data'>): boolean {
  const definition = getDefinition(catalog, type);
  return choosesWay(definition, upgraded(definition, data));
}

const toInputHandle = ({ targetHandle }: Pick<WorkflowEdge, 'targetHandle'>): string =>
  isDefaultHandle(targetHandle) ? 'input' : (targetHandle ?? 'input');

/**
 * Why two handles cannot be connected; null when they can. An edge that is drawn back to a loop names its `loop` handle;
 * any other way back to an earlier node is a cycle.
 */
export function connectionRefusal(graph: WorkflowGraph, wish: Connection): ConnectionRefusal | null {
  const source = graph.nodes[graph.indexOf(wish.source)];
  const target = graph.nodes[graph.indexOf(wish.target)];
  if (!source || !target) return 'node_gone';
  if (source === target) return 'same_node';
  if (isToolEdge(wish) || wish.sourceHandle === TOOL_OUTPUT)
    return toolRefusal(graph, wish, { source, target });
  const { port } = matchPort(wish.sourceHandle, source.ports);
  if (port === '') return 'no_such_output';
  const input = toInputHandle(wish);
  if (!portsOfNode(target.definition, target.data).inputs.includes(input)) return 'no_such_input';
  const exists = graph.document.edges.some(
    (edge) =>
      edge.source === source.id &&
      edge.target === target.id &&
      matchPort(edge.sourceHandle, source.ports).port === port &&
      toInputHandle(edge) === input,
  );
  if (exists) return 'already_connected';
  const closesLoop = target.definition.traits.loop && input === 'loop';
  return !closesLoop && leadsTo(graph, target.index, source.index) ? 'cycle' : null;
}

/** Tools are never scheduled, so they make no cycle and their handle is no output of a run. */
function toolRefusal(
  { document }: WorkflowGraph,
  wish: Connection,
  { source, target }: Record<'source' | 'target', WorkflowGraph['nodes'][number]>,
): ConnectionRefusal | null {
  const takesTools = portsOfNode(target.definition, target.data).inputs.includes(TOOL_INPUT);
  if (!takesTools || !isToolEdge(wish)) return 'no_such_input';
  if (!source.definition.traits.as_tool || receivingKind(source.definition, source.data) !== null) {
    return 'not_a_tool';
  }
  const exists = document.edges.some(
    (edge) => isToolEdge(edge) && edge.source === source.id && edge.target === target.id,
  );
  return exists ? 'already_connected' : null;
}

/** True when a run that reached `from` can still come to `to` without another round of a loop. */
function leadsTo({ edges, outgoing }: WorkflowGraph, from: number, to: number): boolean {
  const seen = new Set<number>([from]);
  for (const node of seen) {
    if (node === to) return true;
    for (const edge of outgoing[node] ?? []) {
      const { kind, target } = edges[edge] ?? { kind: 'back', target: node };
      if (kind !== 'back') seen.add(target);
    }
  }
  return false;
}
