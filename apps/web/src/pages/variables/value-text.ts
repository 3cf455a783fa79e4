import type { GlobalVariableType } from '@millrace/contracts';
import { isJsonObject, readJsonText } from '@millrace/engine/json';

/** A value as the form shows it. Plain text stays bare, everything else is JSON. */
export function textOfValue(value: unknown, type: GlobalVariableType): string {
  if (typeof value === 'string' && (type === 'string' || type === 'auto')) return value;
  return JSON.stringify(value, null, typeof value === 'object' && value !== null ? 2 : undefined) ?? '';
}

export type ParsedValue =
  | { ok: true; value: unknown }
  | { ok: false; problem: 'number' | 'boolean' | 'array' | 'object' };

/** The meaning of the typed text. `auto` takes text that is JSON as JSON and everything else as text. */
export function valueOfText(text: string, type: GlobalVariableType): ParsedValue {
  switch (type) {
    case 'string':
      return { ok: true, value: text };
    case 'auto':
      return { ok: true, value: readJsonText(text) ?? text };
    case 'number': {
      const value = text.trim() === '' ? Number.NaN : Number(text);
      return Number.isFinite(value) ? { ok: true, value } : { ok: false, problem: 'number' };
    }
    case 'boolean': {
      const word = text.trim().toLowerCase();
      return word === 'true' || word === 'false'
        ? { ok: true, value: word === 'true' }
        : { ok: false, problem: 'boolean' };
    }
    case 'array': {
      const value = readJsonText(text);
      return Array.isArray(value) ? { ok: true, value } : { ok: false, problem: 'array' };
    }
    case 'object': {
      const value = readJsonText(text);
      const isObject = isJsonObject(value);
      return isObject ? { ok: true, value } : { ok: false, problem: 'object' };
    }
    default:
      return type satisfies never;
  }
}
