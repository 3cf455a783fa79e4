import { z } from 'zod';
import type { Json, JsonObject } from '../json.ts';
import {
  type NodeDefinition,
  type NodeFamily,
  type NodeTraits,
  type Ports,
  resolveEffect,
} from './define-node.ts';
import { type FieldMeta, fieldMeta } from './fields.ts';
import type { IconShape } from './icon.ts';

export interface DescribedParam {
  name: string;
  field: FieldMeta | null;
  required: boolean;
  /** Used when an export leaves the key out; absent when there is none. */
  default?: Json;
  /** JSON Schema (2020-12) of the value after evaluation. */
  schema: JsonObject;
}

/** A node type as plain JSON, for documentation, tool catalogues and the assistant. */
export interface DescribedNode {
  type: string;
  title: string;
  family: NodeFamily;
  summary: string;
  icon: string | IconShape;
  aliases: string[];
  traits: NodeTraits;
  /** Handles of a freshly added node. */
  ports: { inputs: string[]; outputs: string[] };
  effect: string;
  credentials: string[];
  params: DescribedParam[];
  initial: JsonObject;
  /** JSON Schema of what is stored: evaluated fields also take expression text. */
  stored_schema: JsonObject;
  /** JSON Schema of the output; null when the type does not declare one. */
  output_schema: JsonObject | null;
}

export function describe(definition: NodeDefinition): DescribedNode {
  const { type, title, family, summary, icon, traits, initial } = definition;
  const ports: Ports = definition.ports(initial);
  return {
    type,
    title,
    family,
    summary,
    icon,
    aliases: [...definition.aliases],
    traits: { ...traits },
    ports: { inputs: [...ports.inputs], outputs: [...ports.outputs] },
    effect: resolveEffect(definition, initial),
    credentials: definition.credentials.map((credential) => credential.type),
    params: Object.entries(getShape(definition)).map(([name, schema]) => describeParam(name, schema)),
    initial,
    stored_schema: storedParams(definition),
    output_schema: definition.output ? jsonSchema(definition.output, 'output') : null,
  };
}

function describeParam(name: string, schema: z.ZodType): DescribedParam {
  const fallback = schema.safeParse(undefined);
  const param: DescribedParam = {
    name,
    field: fieldMeta(schema) ?? null,
    required: !fallback.success,
    schema: jsonSchema(schema, 'output'),
  };
  if (fallback.success && fallback.data !== undefined) param.default = fallback.data as Json;
  return param;
}

/** JSON Schema of a node's stored parameters. Other `data` keys stay allowed. */
export function storedParams(definition: NodeDefinition): JsonObject {
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const [name, schema] of Object.entries(getShape(definition))) {
    const meta = fieldMeta(schema);
    properties[name] = storedSchema(jsonSchema(schema, 'input'), meta);
    if (!schema.safeParse(undefined).success) required.push(name);
  }
  return { type: 'object', properties, required, additionalProperties: true };
}

function storedSchema(schema: JsonObject, meta: FieldMeta | undefined): JsonObject {
  const described =
    meta === undefined ? schema : { ...schema, title: meta.title, description: meta.help ?? meta.title };
  const isEvaluated = meta !== undefined && meta.mode !== 'literal';
  if (!isEvaluated || meta.kind === 'mappings' || takesText(schema)) return described;
  const { title, description, default: fallback, ...value } = described;
  const expression = { type: 'string', description: `Expression text, read in ${meta.mode} mode` };
  return {
    title,
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
    anyOf: [value, expression],
  } as JsonObject;
}

/** An empty schema accepts everything. */
function takesText({ type, anyOf }: JsonObject): boolean {
  return type === 'string' || (type === undefined && anyOf === undefined);
}

function getShape(definition: NodeDefinition): Record<string, z.ZodType> {
  return definition.params.shape;
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const {
    $schema: _,
    field: __,
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonObject;
  return withoutFields(rest);
}

/** Field descriptions are metadata in the schema; they are listed beside it instead. */
function withoutFields(value: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(value), (key, part: unknown) =>
    key === 'field' && isMeta(part) ? undefined : part,
  ) as JsonObject;
}

function isMeta(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && 'mode' in value && 'title' in value
  );
}
