import { type PortalField, parseFile } from '@millrace/contracts/portal-input';
import type { Json } from '@millrace/engine';
import { readJsonText } from '@millrace/engine/json';
import type { Inputs } from './message.ts';

/** How a field is filled in: as its node says, else by its default value. */
export type FieldKind = 'text' | 'number' | 'switch' | 'json' | 'choice' | 'date' | 'file';

export function getFieldKind({ type, defaultValue }: PortalField): FieldKind {
  if (type !== undefined) return type === 'boolean' ? 'switch' : type;
  switch (typeof defaultValue) {
    case 'number':
      return 'number';
    case 'boolean':
      return 'switch';
    case 'object':
      return defaultValue === null ? 'text' : 'json';
    default:
      return 'text';
  }
}

/** The values that the visitor has typed or attached, by the key of the field. */
export type Typed = Readonly<Record<string, string | boolean>>;

/** Returns what the form shows for a value; without one the default value of the field. */
export function toTyped(fields: readonly PortalField[], values: Inputs = {}): Typed {
  const typed = fields.map((field) => {
    const value = values[field.key] ?? field.defaultValue;
    if (getFieldKind(field) === 'switch') return [field.key, value === true || value === 'true'];
    if (value === null || value === undefined || isEmptied(value)) return [field.key, ''];
    return [field.key, typeof value === 'string' ? value : JSON.stringify(value, null, 2)];
  });
  return Object.fromEntries(typed) as Typed;
}

/** A file that was too large for the stored conversation: its type is left. */
export const isEmptied = (value: Json): boolean => parseFile(value)?.bytes === 0;

export type FieldProblem = 'missing' | 'not_a_number' | 'not_json';

export interface Read {
  readonly inputs: Inputs;
  readonly problems: Readonly<Record<string, FieldProblem>>;
}

function toInput(kind: FieldKind, typed: string | boolean): Json | undefined {
  if (typeof typed === 'boolean' || kind === 'text') return typed;
  if (typed.trim() === '') return undefined;
  if (kind === 'number') return Number(typed.replace(',', '.'));
  return kind === 'json' ? readJsonText(typed) : typed;
}

function findProblem(field: PortalField, typed: string | boolean, value: unknown): FieldProblem | undefined {
  if (typeof typed === 'boolean') return undefined;
  if (typed.trim() === '') return field.required === true ? 'missing' : undefined;
  const kind = getFieldKind(field);
  if (kind === 'number' && !Number.isFinite(value)) return 'not_a_number';
  return kind === 'json' && value === undefined ? 'not_json' : undefined;
}

/** The inputs of a run, or what is wrong with which field. An empty field that is no text is left out. */
export function readTyped(fields: readonly PortalField[], typed: Typed): Read {
  const inputs: Record<string, Json> = {};
  const problems: Record<string, FieldProblem> = {};
  for (const field of fields) {
    const entered = typed[field.key] ?? '';
    const value = toInput(getFieldKind(field), entered);
    const problem = findProblem(field, entered, value);
    if (problem) problems[field.key] = problem;
    else if (value !== undefined) inputs[field.key] = value;
  }
  const first = findBoxField(fields) ?? fields[0];
  if (first && Object.values(typed).every((entered) => entered === '')) problems[first.key] = 'missing';
  return { inputs, problems };
}

/** The field that a text box fills in: one is enough for one field of text, with files beside it. Undefined for a form. */
export function findBoxField(fields: readonly PortalField[]): PortalField | undefined {
  const [only, ...others] = fields.filter((field) => getFieldKind(field) !== 'file');
  return only && others.length === 0 && getFieldKind(only) === 'text' ? only : undefined;
}
