import { isBlockedKey, isJsonObject, type Json, type JsonObject } from '../../json.ts';

/** Keys of node data that only describe a run on a canvas and leak into exports. */
const TRANSIENT = new Set([
  'status',
  'batchRuntimeStatus',
  'batchRuntimeRawStatus',
  'batchRuntimeRequestCounts',
  'retryAttempt',
  'isSubAgent',
  '_initial_inputs',
]);
/** Nested lists and objects in node data; nothing that people make comes near. */
export const MAX_DATA_DEPTH = 100;

export class TooDeep extends Error {}

export function isTransient(key: string): boolean {
  return TRANSIENT.has(key) || key.startsWith('__');
}

/**
 * A copy without transient keys at the top and without keys that could reach a prototype anywhere. `dropped` is
 * called with each key of the second kind. Throws `TooDeep` beyond 100 levels.
 */
export function cleanData(data: JsonObject, dropped: (key: string) => void): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(data)) {
    if (isBlockedKey(key)) dropped(key);
    else if (!isTransient(key)) kept[key] = cleanValue(value, dropped, 1);
  }
  return kept;
}

function cleanValue(value: Json, dropped: (key: string) => void, depth: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DATA_DEPTH) throw new TooDeep();
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, dropped, depth + 1));
  if (!isJsonObject(value)) return null;
  const kept: JsonObject = {};
  for (const [key, part] of Object.entries(value)) {
    if (isBlockedKey(key)) dropped(key);
    else kept[key] = cleanValue(part, dropped, depth + 1);
  }
  return kept;
}
