import { isBlockedKey, type Json, type JsonObject } from '@millrace/engine';
import { refusedParam } from '../refused-param.ts';

/** Builds an object from user-chosen keys; fails with kind `params` on a key that could reach a prototype. */
export function objectFromEntries(entries: Iterable<readonly [string, Json]>, field: string): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of entries) {
    requireSafeKey(key, field);
    result[key] = value;
  }
  return result;
}

/** Adds the keys of one object to another; fails like `objectFromEntries`. */
export function copyInto(target: JsonObject, source: JsonObject, field: string): void {
  for (const key of Object.keys(source)) {
    requireSafeKey(key, field);
    const value = source[key];
    if (value !== undefined) target[key] = value;
  }
}

export function requireSafeKey(key: string, field: string): void {
  if (!isBlockedKey(key)) return;
  throw refusedParam(field, `the name "${key}" is reserved; choose another one`);
}
