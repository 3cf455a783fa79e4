import type { WebhookBodyMode } from '@millrace/contracts';
import type { Catalog, Json, JsonObject, WorkflowNode } from '@millrace/engine';
import {
  type FieldType,
  type InputField,
  type ReadValue,
  readInputFields,
  readTyped,
} from '@millrace/engine/input-fields';
import { readJsonText } from '@millrace/engine/json';
import type { RunForm } from './run-form.ts';

/** A field without a type has the type of its default value. */
function inferType(type: FieldType | undefined, default_value: Json | undefined): FieldType | undefined {
  if (type !== undefined) return type;
  const of = typeof default_value;
  return of === 'number' || of === 'boolean' ? of : undefined;
}

/** Nodes that a run can start with. */
export const startNodes = (catalog: Catalog, nodes: readonly WorkflowNode[]): WorkflowNode[] =>
  nodes.filter((node) => catalog.get(node.type)?.traits.role === 'trigger' && node.data['active'] !== false);

/** Fields that start nodes declare, each name once. */
export function inputFormFields(starts: readonly WorkflowNode[]): InputField[] {
  const fields = new Map<string, InputField>();
  for (const node of starts) {
    for (const field of readInputFields(node.data['inputFields'])) {
      if (fields.has(field.key)) continue;
      fields.set(field.key, { ...field, type: inferType(field.type, field.default_value) });
    }
  }
  return [...fields.values()];
}

/** The value of a field: the typed text converted to its type, else its default value. Undefined: none. */
export function readField(field: InputField, typed: ReadonlyMap<string, string>): ReadValue | undefined {
  const text = typed.get(field.key);
  if (text !== undefined && (text !== '' || isText(field))) return readTyped(field, text);
  if (text === '') return undefined;
  if (field.default_value !== undefined && field.default_value !== null)
    return { value: field.default_value };
  if (field.type === 'boolean') return { value: false };
  return isText(field) ? { value: '' } : undefined;
}

const isText = ({ type }: InputField): boolean => type === undefined || type === 'text';

/** The input of the run: entered values, or defaults for empty fields. Undefined while a value is not valid. */
export function parseInput(
  fields: readonly InputField[],
  typed: ReadonlyMap<string, string>,
): JsonObject | undefined {
  const input: JsonObject = {};
  for (const field of fields) {
    const read = readField(field, typed);
    if (read === undefined) continue;
    if ('problem' in read) return undefined;
    input[field.key] = read.value;
  }
  return input;
}

/** The body of a call to begin with (§2.1): the declared fields with their defaults, or an example of any JSON. */
export const sampleBody = (mode: WebhookBodyMode, fields: readonly InputField[]): JsonObject =>
  mode === 'generic'
    ? { event: 'example', data: { id: 1 } }
    : Object.fromEntries(fields.map((field) => [field.key, field.default_value ?? sampleValue(field)]));

/** A sample value of the type, for a field without a default value. */
function sampleValue({ type, options = [] }: InputField): Json {
  switch (type) {
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'choice':
      return options[0] ?? '';
    case 'date':
      return new Date().toISOString().slice(0, 10);
    default:
      return '';
  }
}

/** Reads raw JSON; `undefined` when the text is not JSON. Empty text is an empty object. */
export function parseRaw(text: string): Json | undefined {
  return text.trim() === '' ? {} : readJsonText(text);
}

/** The value of a form: JSON where it is written as such or nothing is declared; `undefined` while that cannot be read. */
export const formInput = (
  fields: readonly InputField[],
  { mode, typed, raw }: Pick<RunForm, 'mode' | 'typed' | 'raw'>,
): Json | undefined => (mode === 'json' || fields.length === 0 ? parseRaw(raw) : parseInput(fields, typed));
