import type { McpTool } from '@millrace/contracts';
import { isJsonObject, type JsonObject } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import type { Graph } from '../../workflows/record.ts';
import { inputSchema } from './arguments.ts';

type Reach = 'nothing' | 'reads' | 'repeatable' | 'changes';

/** The effects that one node may have outside; what cannot be known beforehand may change anything. */
function determineReach({ type, data }: { type: string; data: JsonObject }): Reach {
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
function buildAnnotations({ nodes }: Graph): McpTool['annotations'] {
  const reaches = new Set(
    nodes.map(({ type, data }) => {
      const params = isJsonObject(data) ? data : {};
      return params['active'] === false ? 'nothing' : determineReach({ type, data: params });
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
    annotations: buildAnnotations(graph),
  };
}
