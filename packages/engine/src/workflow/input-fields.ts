import { losesDigits } from '../exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** Types of the input fields of start nodes. */
export const FIELD_TYPES = ['text', 'number', 'boolean', 'choice', 'date', 'file'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** Optional settings of an input field. A field without a type accepts any value. */
export interface FieldDescription {
  readonly label?: string | undefined;
  readonly hint?: string | undefined;
  readonly type?: FieldType | undefined;
  /** Allowed values of a `choice`. */
  readonly options?: string[] | undefined;
  readonly required?: boolean | undefined;
}

/** A field that a start node declares. */
export interface InputField extends FieldDescription {
  readonly key: string;
  /** Undefined: none. It is used as it is, even if it does not match the type. */
  readonly default_value: Json | undefined;
}

export interface TypedField extends InputField {
  readonly type: FieldType;
}

const textIn = (field: JsonObject, name: string): string | undefined => {
  const value = field[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
};

function describeField(field: JsonObject): FieldDescription {
  const type = FIELD_TYPES.find((name) => name === field['type']);
  const [label, hint] = [textIn(field, 'label'), textIn(field, 'hint')];
  const options = Array.isArray(field['options'])
    ? field['options'].filter((option) => typeof option === 'string')
    : [];
  return {
    ...(label === undefined ? {} : { label }),
    ...(hint === undefined ? {} : { hint }),
    ...(type === undefined ? {} : { type }),
    ...(type === 'choice' ? { options } : {}),
    ...(field['required'] === true ? { required: true } : {}),
  };
}

export const isAbsent = (value: Json | undefined): value is undefined | null | '' =>
  value === undefined || value === null || value === '';

/** Fields in a stored `inputFields` parameter. Entries without a key are skipped, and so are settings of a field that are not valid. */
export function readInputFields(stored: unknown): InputField[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((field): InputField[] => {
    if (!isJsonObject(field) || typeof field['key'] !== 'string' || field['key'] === '') return [];
    return [{ ...describeField(field), key: field['key'], default_value: field['defaultValue'] }];
  });
}

export const readTypedFields = (stored: unknown): TypedField[] =>
  readInputFields(stored).filter((field): field is TypedField => field.type !== undefined);

const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

function isDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

export type ReadValue = { readonly value: Json } | { readonly problem: string };

/**
 * Converts a value to the type of its field: forms and queries send text, so `"80"` becomes 80 and `"true"` becomes true.
 * `problem` completes a sentence that begins with the field.
 */
export function readTyped(
  { type, options = [] }: Pick<FieldDescription, 'type' | 'options'>,
  value: Json,
): ReadValue {
  switch (type) {
    case 'number':
      return readNumber(value);
    case 'boolean': {
      const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
      if (word === true || word === 'true') return { value: true };
      return word === false || word === 'false' ? { value: false } : { problem: 'must be true or false' };
    }
    case 'choice': {
      const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
      if (typeof text === 'string' && options.includes(text)) return { value: text };
      return { problem: `must be one of: ${options.join(', ')}` };
    }
    case 'date':
      if (typeof value === 'string' && isDay(value.trim())) return { value: value.trim() };
      return { problem: 'must be a date such as 2026-01-31' };
    case 'text':
      return { value: typeof value === 'number' || typeof value === 'boolean' ? String(value) : value };
    case 'file':
    case undefined:
      return { value };
    default:
      return type satisfies never;
  }
}

function readNumber(value: Json): ReadValue {
  if (typeof value === 'string' && losesDigits(value.trim()))
    return { problem: 'has more digits than a number can keep; use a text field' };
  const number = typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number)
    ? { value: number }
    : { problem: 'must be a number' };
}

export type ReadInputs = { readonly values: JsonObject } | { readonly key: string; readonly problem: string };

/**
 * Converts the input of a run to the types of its fields. Empty text in a field of another type is replaced by
 * the default value, as forms send it for empty fields.
 */
export function readInputs(fields: readonly TypedField[], given: JsonObject): ReadInputs {
  const values = { ...given };
  for (const field of fields) {
    const { key, type, required, default_value } = field;
    const value = Object.hasOwn(given, key) ? given[key] : undefined;
    if (isAbsent(value)) {
      if (required === true && isAbsent(default_value)) return { key, problem: 'must be filled in' };
      if (value === '' && type !== 'text' && !isAbsent(default_value)) delete values[key];
      continue;
    }
    const read = readTyped(field, value);
    if ('value' in read) values[key] = read.value;
    else if (value !== default_value) return { key, problem: read.problem };
  }
  return { values };
}
