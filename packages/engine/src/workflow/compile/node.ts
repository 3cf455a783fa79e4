import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { type Catalog, defineNode, type NodeDefinition } from '../../node-type/define-node.ts';
import type { CompiledNode } from '../compiled.ts';
import type { WorkflowNode } from '../schema.ts';
import { compileParams } from './params.ts';

const RETRY = {
  attempts: { least: 1, most: 10, usual: 3 },
  seconds: { least: 1, most: 60, usual: 5 },
} as const;

/** A node without what only its place in the graph decides. */
export type NodeDraft = Omit<CompiledNode, 'flow' | 'loop' | 'opens'>;

export function draftNode(node: WorkflowNode, index: number, catalog: Catalog): NodeDraft {
  const known = catalog.get(node.type);
  const definition = known ?? passThroughDefinition(node.type);
  const data = upgraded(definition, node.data);
  const { traits } = definition;
  const label = typeof data['label'] === 'string' && data['label'] !== '' ? data['label'] : node.id;
  const onError = data['onErrorEnabled'] === true && !traits.always_stops;
  const ports = [...portsOf(definition, data), ...(onError ? ['error'] : [])];
  const params = compileParams(definition, data);
  return {
    index,
    id: node.id,
    label,
    type: node.type,
    data,
    definition,
    known: known !== undefined,
    active: data['active'] !== false,
    effect: typeof definition.effect === 'function' ? definition.effect(data) : definition.effect,
    retry: retryOf(definition, data),
    on_error: onError,
    pinned: pinnedOutput(data['pinnedData']),
    ports,
    answers_early: traits.terminal === 'output' && data['allowDownstream'] === true,
    params,
    resolveParams: params.resolve,
    credential_names: credentialNames(params.references),
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

function portsOf(definition: NodeDefinition, data: JsonObject): readonly string[] {
  const { traits } = definition;
  if (traits.schedule === 'never') return [];
  // Behind an output node nothing runs unless it says so, whatever handles its definition draws.
  if (traits.terminal === 'output' && data['allowDownstream'] !== true) return [];
  return definition.ports(data).outputs;
}

function upgraded(definition: NodeDefinition, data: JsonObject): JsonObject {
  const stored = typeof data['node_version'] === 'number' ? data['node_version'] : 1;
  return definition.upgrade && stored < definition.version ? definition.upgrade(data, stored) : data;
}

function retryOf({ traits }: NodeDefinition, data: JsonObject): CompiledNode['retry'] {
  // A trigger that keeps a connection uses the same keys for its reconnects.
  if (data['retryEnabled'] !== true || traits.always_stops || traits.role === 'trigger') return null;
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

function credentialNames(references: CompiledNode['params']['references']): readonly string[] | null {
  const names = new Set<string>();
  for (const { name, path } of references) {
    if (name !== 'credentials') continue;
    const [credential] = path;
    if (credential === undefined) return null;
    names.add(credential);
  }
  return [...names];
}
