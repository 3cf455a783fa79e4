import { isJsonObject, type Json } from '@millrace/engine';

/** Names in the JSON object that the node passes as parameters; none while an expression makes all of it. */
export function parameterNames(given: Json | undefined): readonly string[] {
  if (isJsonObject(given)) return Object.keys(given);
  if (typeof given !== 'string') return [];
  try {
    const read = JSON.parse(given) as Json;
    return isJsonObject(read) ? Object.keys(read) : [];
  } catch {
    return [];
  }
}
