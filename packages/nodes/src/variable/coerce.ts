import { isJsonObject, type Json, toText } from '@millrace/engine';
import { parseNumber } from '../kit/values/numeric.ts';
import type { VARIABLE_TYPES } from './definition.ts';

export type VariableType = (typeof VARIABLE_TYPES)[number];

const TRUE_TEXTS = new Set(['true', '1', 'yes']);

/** The value as a variable of that type stores it; what cannot be converted is kept as it is. */
export function coerce(value: Json, type: VariableType): Json {
  switch (type) {
    case 'auto':
    case 'array':
      return value;
    case 'string':
      return toText(value);
    case 'number':
      return toNumber(value);
    case 'boolean':
      return toBoolean(value);
    case 'object':
      return isJsonObject(value) ? value : { value };
    default:
      return type satisfies never;
  }
}

/** The type that the node reports: the declared one, or what an automatic value turned out to be. */
export function reportedType(value: Json, declared: VariableType): string {
  if (declared !== 'auto') return declared;
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function toNumber(value: Json): Json {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' ? (parseNumber(value) ?? value) : value;
}

function toBoolean(value: Json): boolean {
  if (typeof value === 'string') return TRUE_TEXTS.has(value.trim().toLowerCase());
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}
