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

/** The value when it is a text; empty for anything else. */
export function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text under a key; empty when there is none, also because the value is no object. */
export function readTextAt(value: unknown, key: string): string {
  return isJsonObject(value) ? readText(value[key]) : '';
}

/** A text as it is, anything else as JSON; empty for what JSON does not have. */
export function printValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** The value that a text says as JSON; undefined for a text that is none. */
export function readJsonText(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
