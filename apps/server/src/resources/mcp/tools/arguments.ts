import type { McpTool } from '@millrace/contracts';
import {
  inputProblem,
  listPortalFields,
  type PortalField,
  type UploadRule,
} from '@millrace/contracts/portal-input';
import type { Json, JsonObject } from '@millrace/engine';
import { readTyped } from '@millrace/engine/input-fields';
import { graphInterface } from '../../workflows/graph/graph-facts.ts';
import type { Graph } from '../../workflows/record.ts';

/** The owner limits files for visitors of the portal. Callers of tools are users, and the body of a call bounds its files. */
const FILES: UploadRule = { allowed_types: ['any'], max_bytes: Number.POSITIVE_INFINITY };

/** The fields that the input nodes ask for, with the types and labels that the portal shows; each key once. */
function argumentFields(graph: Graph): PortalField[] {
  const described = new Map(listPortalFields(graph).map((field) => [field.key, field]));
  const fields = new Map<string, PortalField>();
  for (const { key, defaultValue = null } of graphInterface(graph).input_fields) {
    if (!fields.has(key)) fields.set(key, described.get(key) ?? { key, defaultValue });
  }
  return [...fields.values()];
}

const findProblem = (field: PortalField, value: Json | undefined): string | undefined =>
  inputProblem(field, value, field.type === 'file' ? FILES : undefined);

/** JSON type of a field without a `type`, from its default value. */
function typeOfDefault(value: Json): string {
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

function valueSchema({ type, options = [], defaultValue }: PortalField): JsonObject {
  switch (type) {
    case 'number':
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { type: 'string', ...(options.length === 0 ? {} : { enum: [...new Set(options)] }) };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'text':
    case 'file':
      return { type: 'string' };
    case undefined:
      return { type: typeOfDefault(defaultValue) };
    default:
      return type satisfies never;
  }
}

const hasDefault = ({ defaultValue }: PortalField): boolean => defaultValue !== null && defaultValue !== '';

/** The default as a run reads it; nothing where its own type would not take it, for that would contradict the schema. */
function shownDefault(field: PortalField): { default?: Json } {
  const { defaultValue } = field;
  if (!hasDefault(field)) return {};
  const read = readTyped(field, defaultValue);
  if ('problem' in read || (field.type === 'text' && typeof read.value !== 'string')) return {};
  return findProblem({ ...field, defaultValue: null }, read.value) === undefined
    ? { default: read.value }
    : {};
}

function propertySchema(field: PortalField): JsonObject {
  const { key, label, hint, type } = field;
  const description = hint ?? label ?? `Input "${key}" of the workflow`;
  return {
    ...valueSchema(field),
    ...(label === undefined ? {} : { title: label }),
    description: type === 'file' ? `${description} (a file as a data URL)` : description,
    ...shownDefault(field),
  };
}

/**
 * JSON Schema of the arguments. What has a default value may be left out. Of the other fields those are required whose owner
 * says so, and those without a type, which cannot be marked as optional.
 */
export function inputSchema(graph: Graph): McpTool['inputSchema'] {
  const fields = argumentFields(graph);
  const isRequired = (field: PortalField) =>
    (field.required === true || field.type === undefined) && !hasDefault(field);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.key, propertySchema(field)])),
    required: fields.filter(isRequired).map(({ key }) => key),
  };
}

/** Problems with the arguments of a call, by the rule of the portal; each names its field. */
export function argumentProblems(graph: Graph, input: JsonObject): string[] {
  return argumentFields(graph).flatMap((field) => {
    const problem = findProblem(field, Object.hasOwn(input, field.key) ? input[field.key] : undefined);
    return problem === undefined ? [] : [`"${field.key}" ${problem}`];
  });
}
