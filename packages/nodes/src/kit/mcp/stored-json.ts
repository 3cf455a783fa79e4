import { isJsonObject, type Json, type JsonObject, parseExactJson } from '@millrace/engine';
import { refusedParam } from '../refused-param.ts';

/** An object, or its JSON text as exports have it. @param example what it looks like, for people */
export function objectIn(stored: Json | undefined, field: string, example: string): JsonObject {
  const value = typeof stored === 'string' ? parsedIn(stored, field) : (stored ?? {});
  if (isJsonObject(value)) return value;
  throw refusedParam(field, `must be an object such as ${example}`);
}

/** An empty text is an empty object. */
export function parsedIn(text: string, field: string): Json {
  if (text.trim() === '') return {};
  try {
    return parseExactJson(text) as Json;
  } catch {
    throw refusedParam(field, 'is not valid JSON');
  }
}
