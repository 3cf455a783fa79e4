import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import {
  type Catalog,
  defineNode,
  isTrigger,
  type NodeDefinition,
  type Ports,
  resolveEffect,
} from '../../node-type/define-node.ts';
import type { GraphNode } from '../compiled.ts';
import type { WorkflowNode } from '../schema.ts';

const RETRY = {
  attempts: { least: 1, most: 10, usual: 3 },
  seconds: { least: 1, most: 60, usual: 5 },
} as const;

const NO_PORTS: readonly string[] = [];

/** A node without what only its place in the graph decides. */
export type NodeDraft = Omit<GraphNode, 'flow' | 'loop' | 'opens'>;

export function draftNode(node: WorkflowNode, index: number, catalog: Catalog): NodeDraft {
  const definition = getDefinition(catalog, node.type);
  const data = upgraded(definition, node.data);
  const { traits } = definition;
  const label = typeof data['label'] === 'string' && data['label'] !== '' ? data['label'] : node.id;
  const ports = portsOfNode(definition, data).outputs;
  return {
    index,
    id: node.id,
    label,
    type: node.type,
    data,
    definition,
    known: catalog.get(node.type) !== undefined,
    active: data['active'] !== false,
    effect: resolveEffect(definition, data),
    retry: readRetry(definition, data),
    on_error: catchesErrors(definition, data),
    pinned: pinnedOutput(data['pinnedData']),
    ports,
    pause_ports: ports.length > 0 ? (definition.ports(data).at_pause ?? NO_PORTS) : NO_PORTS,
    closes_joins: !(data['closesJoins'] === false && choosesWay(definition, data)),
    answers_early: traits.terminal === 'output' && data['allowDownstream'] === true,
  };
}

/** Stands for a type that the catalogue does not have, so that an import with foreign nodes still runs. */
function passThroughDefinition(type: string): NodeDefinition {
  return defineNode({
    type,
    title: type,
    family: 'integration',
    summary: 'Unknown type: hands its inputs on.',
    icon: 'circle-help',
    params: z.object({}),
  });
}

export function getDefinition(catalog: Catalog, type: string): NodeDefinition {
  return catalog.get(type) ?? passThroughDefinition(type);
}

/** A failure of the node follows its `error` handle. */
const catchesErrors = ({ traits }: NodeDefinition, data: JsonObject): boolean =>
  data['onErrorEnabled'] === true && !traits.always_stops;

export function portsOfNode(definition: NodeDefinition, data: JsonObject): Ports {
  const { inputs, outputs } = definition.ports(data);
  const { traits } = definition;
  if (traits.schedule === 'never') return { inputs, outputs: [] };
  // Nothing runs after an output node unless its parameter allows it, even if its definition draws handles.
  const live = traits.terminal === 'output' && data['allowDownstream'] !== true ? [] : outputs;
  const adds = catchesErrors(definition, data) && !live.includes('error');
  return { inputs, outputs: adds ? [...live, 'error'] : live };
}

/** True for a node that chooses between ways, so that it can leave nodes open that other ways lead to. */
export function choosesWay(definition: NodeDefinition, data: JsonObject): boolean {
  const { outputs } = portsOfNode(definition, data);
  // A loop takes both of its ways; an error is one that it chooses.
  return outputs.length - (definition.traits.loop ? 1 : 0) > 1;
}

export function upgraded(definition: NodeDefinition, data: JsonObject): JsonObject {
  const stored = typeof data['node_version'] === 'number' ? data['node_version'] : 1;
  return definition.upgrade && stored < definition.version ? definition.upgrade(data, stored) : data;
}

function readRetry(definition: NodeDefinition, data: JsonObject): GraphNode['retry'] {
  // A trigger that keeps a connection uses the same keys for its reconnects.
  if (data['retryEnabled'] !== true || definition.traits.always_stops || isTrigger(definition, data))
    return null;
  const attempts = bounded(data['retryMaxAttempts'], RETRY.attempts);
  const seconds = bounded(data['retryWaitSeconds'], RETRY.seconds);
  return attempts <= 1 ? null : { max_attempts: Math.trunc(attempts), wait_ms: seconds * 1000 };
}

function bounded(
  stored: Json | undefined,
  range: { readonly least: number; readonly most: number; readonly usual: number },
): number {
  const value = typeof stored === 'string' && stored.trim() !== '' ? Number(stored) : stored;
  if (typeof value !== 'number' || !Number.isFinite(value)) return range.usual;
  return Math.min(Math.max(value, range.least), range.most);
}

function pinnedOutput(stored: Json | undefined): Json | undefined {
  if (stored === undefined || stored === null) return undefined;
  return isJsonObject(stored) ? stored : { value: stored };
}
