import type { WebhookBodyMode } from '@millrace/contracts';
import type { Catalog, Json, JsonObject, WorkflowNode } from '@millrace/engine';
import { inputFieldRows, textOf } from '../fields/rows.ts';
import type { RunForm } from './run-form.ts';

export interface InputFormField {
  key: string;
  default_value: string;
}

/** Nodes that a run can start with. */
export const startNodes = (catalog: Catalog, nodes: readonly WorkflowNode[]): WorkflowNode[] =>
  nodes.filter((node) => catalog.get(node.type)?.traits.role === 'trigger' && node.data['active'] !== false);

/** Fields that start nodes declare, each name once. */
export function inputFormFields(starts: readonly WorkflowNode[]): InputFormField[] {
  const fields = new Map<string, InputFormField>();
  for (const node of starts) {
    for (const row of inputFieldRows(node.data['inputFields'])) {
      if (row.key !== '' && !fields.has(row.key))
        fields.set(row.key, { key: row.key, default_value: textOf(row['defaultValue']) });
    }
  }
  return [...fields.values()];
}

/** What is sent: typed values, or the declared defaults where nothing was typed. */
export function inputOf(fields: readonly InputFormField[], typed: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(fields.map((field) => [field.key, typed.get(field.key) ?? field.default_value]));
}

/** The body of a call to begin with (§2.1): the declared fields with their defaults, or an example of any JSON. */
export const sampleBody = (mode: WebhookBodyMode, fields: readonly InputFormField[]): JsonObject =>
  mode === 'generic' ? { event: 'example', data: { id: 1 } } : inputOf(fields, new Map());

/** Reads raw JSON; `undefined` when the text is not JSON. Empty text is an empty object. */
export function parseRaw(text: string): Json | undefined {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** What a form holds: JSON where it is written as such or nothing is declared; `undefined` while that cannot be read. */
export const formInput = (
  fields: readonly InputFormField[],
  { mode, typed, raw }: Pick<RunForm, 'mode' | 'typed' | 'raw'>,
): Json | undefined => (mode === 'json' || fields.length === 0 ? parseRaw(raw) : inputOf(fields, typed));
