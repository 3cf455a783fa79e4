import { z } from 'zod';
import type { ExpressionMode } from '../expression/index.ts';
import type { JsonObject } from '../json.ts';
import type { Effect } from './define-node.ts';

/** Which widget edits a parameter. A new kind needs a reason that serves more than one node. */
export type FieldKind =
  | 'text'
  | 'multiline'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'expression'
  | 'condition'
  | 'mappings'
  | 'cases'
  | 'rows'
  | 'input_fields'
  | 'json'
  | 'code'
  | 'curl'
  | 'cron'
  | 'event_key'
  | 'html'
  | 'markdown'
  | 'credential'
  | 'workflow'
  | 'vector_store'
  | 'data_table'
  | 'workflows'
  | 'operation'
  | 'resource'
  | 'node_label'
  | 'agent_labels'
  | 'agent_memory'
  | 'mcp_connection'
  | 'mcp_connections'
  | 'python_tools'
  | 'skills'
  | 'tool_reviews'
  | 'mcp_tool'
  | 'mcp_arguments'
  | 'color'
  | 'hidden';

export interface FieldMeta {
  kind: FieldKind;
  /** How a text value is evaluated before the node runs; `literal` leaves it unchanged. */
  mode: ExpressionMode;
  title: string;
  help?: string;
  placeholder?: string;
  /** Heading under which the form groups the field. */
  group?: string;
  choices?: readonly { value: string; title: string; effect?: Effect }[];
  /** Credential types that a `credential` field accepts. */
  credential_types?: readonly string[];
  /** The message shown when the field is empty, for a node that cannot work without it. */
  when_empty?: string;
  /**
   * For a `resource` field: the list of the node's choices that it offers, and the parameters that the list depends on.
   * `credential` is the one of them that holds the credential to ask with; `credentialId` unless it says otherwise. The list
   * differs by those of `narrowed_by`, too, and is there without them.
   */
  resource?: {
    list: string;
    depends_on: readonly string[];
    narrowed_by?: readonly string[];
    credential?: string;
  };
  /** Of a `rows` field: the fields of a row, whose `shown_when` names fields of the same row. */
  row_fields?: Readonly<Record<string, FieldMeta>>;
  /** Shown only while every other parameter named here has one of its values. */
  shown_when?: readonly ShownWhen[];
}

export interface ShownWhen {
  readonly field: string;
  readonly is: readonly unknown[];
}

export type FieldOptions = Partial<Omit<FieldMeta, 'title'>>;

function describe<T extends z.ZodType>(schema: T, meta: FieldMeta): T {
  return schema.meta({ field: meta });
}

/**
 * Builders of node parameters. Each returns a plain zod schema with `.meta({ field })`, so that one
 * declaration yields form, defaults, stored shape, run-time check and documentation.
 *
 * The schema describes the value after evaluation. Stored values may hold expression text instead.
 */
export const field = {
  text: (title: string, options: FieldOptions = {}) =>
    describe(z.string(), { kind: 'text', mode: 'literal', ...options, title }),
  template: (title: string, options: FieldOptions = {}) =>
    describe(z.string(), { kind: 'expression', mode: 'template', ...options, title }),
  value: (title: string, options: FieldOptions = {}) =>
    describe(z.unknown(), {
      kind: 'expression',
      mode: options.kind === 'json' ? 'json' : 'value',
      ...options,
      title,
    }),
  raw: (title: string, options: FieldOptions = {}) =>
    describe(z.unknown(), { kind: 'expression', mode: 'raw', ...options, title }),
  condition: (title: string, options: FieldOptions = {}) =>
    describe(z.boolean(), { kind: 'condition', mode: 'condition', ...options, title }),
  number: (title: string, options: FieldOptions = {}) =>
    describe(z.number(), { kind: 'number', mode: 'literal', ...options, title }),
  boolean: (title: string, options: FieldOptions = {}) =>
    describe(z.boolean(), { kind: 'boolean', mode: 'literal', ...options, title }),
  choice: <const T extends readonly [string, ...string[]]>(
    title: string,
    values: T,
    options: FieldOptions = {},
  ) =>
    describe(z.enum(values), {
      kind: 'choice',
      mode: 'literal',
      choices: values.map((value) => ({ value, title: value })),
      ...options,
      title,
    }),
  /** The id of an object of the service; the form lists the choices. */
  resource: (title: string, options: FieldOptions & Pick<Required<FieldMeta>, 'resource'>) =>
    describe(z.string(), { kind: 'resource', mode: 'template', ...options, title }),
  /** Rows of `{key, value}`; each value is evaluated by the field's mode. */
  mappings: (title: string, options: FieldOptions = {}) =>
    describe(z.array(z.object({ key: z.string(), value: z.unknown() })), {
      kind: 'mappings',
      mode: 'value',
      ...options,
      title,
    }),
  /** A list of objects, each with the fields that its schema describes. */
  rows: <T extends z.ZodObject>(title: string, row: T, options: FieldOptions = {}) =>
    describe(z.array(row), {
      kind: 'rows',
      mode: 'literal',
      row_fields: Object.fromEntries(
        Object.entries(row.shape).flatMap(([name, schema]) => {
          const meta = fieldMeta(schema as z.ZodType);
          return meta ? [[name, meta]] : [];
        }),
      ),
      ...options,
      title,
    }),
  /** Any other stored shape, edited by the widget that `kind` names. */
  custom: <T extends z.ZodType>(schema: T, title: string, options: FieldOptions & { kind: FieldKind }) =>
    describe(schema, { mode: 'literal', ...options, title }),
};

/** The field description of a parameter schema, through `.optional()` and `.default()` wrappers. */
export function fieldMeta(schema: z.ZodType): FieldMeta | undefined {
  let current: z.ZodType | undefined = schema;
  while (current) {
    const meta = current.meta()?.['field'];
    if (meta) return meta as FieldMeta;
    const inner: unknown = (current.def as { innerType?: unknown }).innerType;
    current = inner instanceof z.ZodType ? inner : undefined;
  }
  return undefined;
}

/** How messages name a field: its title as the form shows it, followed by the path of the stored value (`body.0.key`). */
export function nameOfField(schema: z.ZodType | undefined, path: string): string {
  const title = schema && fieldMeta(schema)?.title;
  return title === undefined ? path : `${title} (${path})`;
}

/** Whether the form shows a parameter for the current values of the others; hidden parameters are not checked. */
export function isShown(
  { shown_when = [] }: FieldMeta,
  data: JsonObject,
  shape: Readonly<Record<string, z.ZodType>>,
): boolean {
  return shown_when.every(({ field: other, is }) => {
    const value: unknown = data[other] ?? shape[other]?.safeParse(undefined).data;
    return is.includes(value);
  });
}
