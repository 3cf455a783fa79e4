import type { AnyEndpoint } from '@millrace/contracts';
import { fieldMeta, type JsonObject, type NodeDefinition } from '@millrace/engine';
import { z } from 'zod';

/** A place of a request that takes the id of an object. */
export interface IdField {
  readonly place: 'path' | 'query' | 'body';
  /** Way from the root of the part to the id; `[]` stands for any entry of a list. */
  readonly field: string;
  readonly schema: z.ZodType;
}

interface Definition {
  readonly type: string;
  readonly format?: string;
  readonly shape?: Record<string, z.ZodType>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly in?: z.ZodType;
}

const within = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** The schemas directly inside one, each with its way. */
function parts(definition: Definition, path: string): [string, z.ZodType][] {
  const { shape = {}, element, innerType, valueType, options = [], in: input } = definition;
  return [
    ...Object.entries(shape).map(([name, schema]): [string, z.ZodType] => [within(path, name), schema]),
    ...(element ? [[`${path}[]`, element] as [string, z.ZodType]] : []),
    ...[innerType, valueType, input, ...options].flatMap((schema): [string, z.ZodType][] =>
      schema ? [[path, schema]] : [],
    ),
  ];
}

/** The definition of a schema; no public type covers all kinds. */
const getDefinition = (schema: z.ZodType): Definition => schema.def;

/** The schemas inside one, and itself, that are wanted, each with its way. */
function find(
  schema: z.ZodType,
  path: string,
  isWanted: (schema: z.ZodType) => boolean,
): [string, z.ZodType][] {
  if (isWanted(schema)) return [[path, schema]];
  return parts(getDefinition(schema), path).flatMap(([way, part]) => find(part, way, isWanted));
}

function isId(schema: z.ZodType): boolean {
  const { type, format } = getDefinition(schema);
  return type === 'string' && (format === 'uuid' || format === 'guid');
}

/** A parameter of a node type that names an object by its id: `executeWorkflowId`. */
export interface IdParameter {
  readonly definition: NodeDefinition;
  readonly parameter: string;
  readonly kind: 'workflow' | 'credential';
}

export function listIdParameters(definition: NodeDefinition): IdParameter[] {
  const found = find(definition.params, '', (schema) => {
    const kind = fieldMeta(schema)?.kind;
    return kind === 'workflow' || kind === 'credential';
  });
  return found.map(([parameter, schema]) => {
    const kind = fieldMeta(schema)?.kind === 'workflow' ? 'workflow' : 'credential';
    return { definition, parameter, kind };
  });
}

/** The settings that a node needs besides the fields that are always required. */
const ALSO_NEEDED: Readonly<Record<string, JsonObject>> = {
  agent: { fallbackModel: 'small' },
  decision: { questions: [{ id: 'urgent', type: 'noul', instructions: 'Is it urgent?' }] },
  llm: { fallbackModel: 'small' },
  playwright: { playwrightAuthEnabled: true },
  rabbitmq: { rabbitmqQueueName: 'orders' },
  rag: { enableReranker: true },
};

/** The settings that an entry of a list needs for its id to be used. */
export const NEEDED_IN_ENTRIES: Readonly<Record<string, JsonObject>> = {
  playwright: { action: 'aiStep' },
};

/** Settings of a new node in which everything that must be filled in has a value; an address suits every check of a text. */
export function filledData({ type, params, initial }: NodeDefinition): JsonObject {
  const required = Object.entries(params.shape).filter(
    ([, schema]) => schema instanceof z.ZodType && fieldMeta(schema)?.when_empty !== undefined,
  );
  const texts = Object.fromEntries(required.map(([name]) => [name, 'a@example.com']));
  return { ...initial, ...texts, ...ALSO_NEEDED[type] };
}

/** Every id that a request to the endpoint can carry, as the contract declares it. */
export function listIdFields({ params, query, body }: AnyEndpoint): IdField[] {
  const places = { path: params, query, body } as const;
  return Object.entries(places).flatMap(([place, schema]) =>
    schema
      ? find(schema, '', isId).map(([field, id]) => ({ place: place as IdField['place'], field, schema: id }))
      : [],
  );
}
