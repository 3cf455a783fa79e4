import type { PortalInfo } from '@millrace/contracts';
import type { Json } from '@millrace/engine';
import type { Inputs } from './message.ts';

type InputField = PortalInfo['input_fields'][number];

/** How a field is filled in, by its default value: the API names no other type. */
export type FieldKind = 'text' | 'number' | 'switch' | 'json';

export function kindOf({ defaultValue }: InputField): FieldKind {
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

/** What the visitor has typed, by the key of the field. */
export type Typed = Readonly<Record<string, string | boolean>>;

/** What the form shows for a value; without one the default value of the field. */
export function typedOf(fields: readonly InputField[], values: Inputs = {}): Typed {
  const typed = fields.map((field) => {
    const value = values[field.key] ?? field.defaultValue;
    if (kindOf(field) === 'switch') return [field.key, value === true];
    if (value === null || value === undefined) return [field.key, ''];
    return [field.key, typeof value === 'string' ? value : JSON.stringify(value, null, 2)];
  });
  return Object.fromEntries(typed) as Typed;
}

export type FieldProblem = 'missing' | 'not_a_number' | 'not_json';

export interface Read {
  readonly inputs: Inputs;
  readonly problems: Readonly<Record<string, FieldProblem>>;
}

function valueOf(kind: FieldKind, typed: string | boolean): Json | undefined {
  if (typeof typed === 'boolean' || kind === 'text') return typed;
  if (typed.trim() === '') return undefined;
  return kind === 'number' ? Number(typed.replace(',', '.')) : parse(typed);
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function problemOf(kind: FieldKind, typed: string | boolean, value: unknown): FieldProblem | undefined {
  if (typeof typed === 'boolean' || typed.trim() === '') return undefined;
  if (kind === 'number' && !Number.isFinite(value)) return 'not_a_number';
  return kind === 'json' && value === undefined ? 'not_json' : undefined;
}

/** The inputs of a run, or what is wrong with which field. An empty field that is no text is left out. */
export function readTyped(fields: readonly InputField[], typed: Typed): Read {
  const inputs: Record<string, Json> = {};
  const problems: Record<string, FieldProblem> = {};
  for (const field of fields) {
    const kind = kindOf(field);
    const entered = typed[field.key] ?? '';
    const value = valueOf(kind, entered);
    const problem = problemOf(kind, entered, value);
    if (problem) problems[field.key] = problem;
    else if (value !== undefined) inputs[field.key] = value;
  }
  const isEmpty = fields.length > 0 && Object.values(typed).every((entered) => entered === '');
  if (isEmpty && fields[0]) problems[fields[0].key] = 'missing';
  return { inputs, problems };
}

/** One text box is enough for one field of text. */
export const isTextBox = ([only, ...others]: readonly InputField[]): boolean =>
  only !== undefined && others.length === 0 && kindOf(only) === 'text';
