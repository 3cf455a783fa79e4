/** Plain JSON data: the only values that the engine takes, passes on and returns. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

const BLOCKED_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** True for keys that could reach a prototype when they become object keys. */
export function isBlockedKey(key: string): boolean {
  return BLOCKED_KEYS.has(key);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
