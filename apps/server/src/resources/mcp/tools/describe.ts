import type { McpTool } from '@millrace/contracts';
import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { graphInterface } from '../../workflows/graph/graph-facts.ts';
import type { Graph } from '../../workflows/record.ts';

function schemaType(value: Json | undefined): string {
  switch (typeof value) {
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'object':
      if (Array.isArray(value)) return 'array';
      return value === null ? 'string' : 'object';
    default:
      return 'string';
  }
}

const isGiven = (value: unknown): value is Json => value !== undefined && value !== '' && value !== null;

/** JSON Schema of the arguments: what the input nodes ask for. What has a default value may be left out. */
function inputSchema(graph: Graph): McpTool['inputSchema'] {
  const properties: McpTool['inputSchema']['properties'] = {};
  const required: string[] = [];
  for (const { key, defaultValue } of graphInterface(graph).input_fields) {
    if (Object.hasOwn(properties, key)) continue;
    const value = isGiven(defaultValue) ? defaultValue : undefined;
    properties[key] = {
      type: schemaType(value),
      description: `Input "${key}" of the workflow`,
      ...(value === undefined ? {} : { default: value }),
    };
    if (value === undefined) required.push(key);
  }
  return { type: 'object', properties, required };
}

type Reach = 'nothing' | 'reads' | 'repeatable' | 'changes';

/** What one node may do outside; what cannot be known beforehand may change anything. */
function reachOf({ type, data }: { type: string; data: JsonObject }): Reach {
  const definition = catalog.get(type);
  if (!definition) return 'changes';
  const effect = typeof definition.effect === 'function' ? definition.effect(data) : definition.effect;
  switch (effect) {
    case 'pure':
      return 'nothing';
    case 'read':
      return 'reads';
    case 'idempotent':
      return 'repeatable';
    case 'steps':
      return definition.traits.only_waits ? 'nothing' : 'changes';
    case 'unsafe':
      return 'changes';
    default:
      return effect satisfies never;
  }
}

/** Hints for the client from the effects of all nodes that are switched on. */
function annotationsOf({ nodes }: Graph): McpTool['annotations'] {
  const reaches = new Set(
    nodes.map(({ type, data }) => {
      const params = isJsonObject(data) ? data : {};
      return params['active'] === false ? 'nothing' : reachOf({ type, data: params });
    }),
  );
  const changes = reaches.has('changes');
  return {
    readOnlyHint: !changes && !reaches.has('repeatable'),
    destructiveHint: changes,
    idempotentHint: !changes,
    openWorldHint: changes || reaches.has('reads') || reaches.has('repeatable'),
  };
}

export interface Offered {
  readonly name: string;
  readonly description: string | null;
  readonly graph: Graph;
}

/** A workflow as clients see it, without the name that depends on what else its server offers. */
export function describeTool({ name: title, description, graph }: Offered): Omit<McpTool, 'name'> {
  return {
    title,
    description: description || `Runs the workflow "${title}"`,
    inputSchema: inputSchema(graph),
    annotations: annotationsOf(graph),
  };
}
