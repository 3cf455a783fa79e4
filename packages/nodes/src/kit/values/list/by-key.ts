import { isBlockedKey, isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { refusedParam } from '../../refused-param.ts';
import { toCanonicalKey, valueAt } from './items.ts';

/** The key of an item by the values of some fields; undefined when it lacks one of them. */
export function keyIn(item: Json, names: readonly string[]): string | undefined {
  const values = names.map((name) => valueAt(item, name));
  return values.includes(null) ? undefined : toCanonicalKey(values);
}

/** Items of a list by their key, in the order of the list; those without a key are in none. */
export function groupedBy(items: readonly Json[], names: readonly string[]): Map<string, Json[]> {
  const groups = new Map<string, Json[]>();
  for (const item of items) {
    const key = keyIn(item, names);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** An item whose fields are needed; `name` is the parameter with its list. */
export function objectItem(item: Json, name: string): JsonObject {
  if (isJsonObject(item)) return item;
  throw refusedParam(name, 'must be a list of objects');
}

/** The name of a field that a node adds to items. */
export function addedField(text: string, name: string): string {
  const added = text.trim();
  if (isBlockedKey(added)) throw refusedParam(name, `cannot be ${added}`);
  return added;
}
