import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { View } from './places.ts';

const FIELD = /^\.(\w+)$/;

const toData = (item: Json): Json => (isJsonObject(item) && item['json'] !== undefined ? item['json'] : item);

/** The output that has these items where the view finds them; undefined where it puts them together or reads another node. */
export function buildPinnedOutput(
  { first, list, renamed = {}, made = {}, step, adds }: View,
  items: readonly Json[],
): Json | undefined {
  if (step !== undefined || adds !== undefined) return undefined;
  const values = items.map((item) => rename(toData(item), renamed));
  const isMade = values.some((value) => isJsonObject(value) && Object.keys(made).some((key) => key in value));
  const [value] = values;
  if (isMade || value === undefined) return undefined;
  if (first === undefined) return value;
  const [, field] = FIELD.exec(list ?? first) ?? [];
  if (field === undefined) return undefined;
  if (first === list) return { [field]: values.length > 1 ? values : value };
  return list !== undefined && first === `${list}[0]` ? { [field]: values } : undefined;
}

function rename(value: Json, names: Readonly<Record<string, string>>): Json {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, field]): [string, Json] => [
    (Object.hasOwn(names, key) ? names[key] : key) ?? key,
    field,
  ]);
  return Object.fromEntries(entries) satisfies JsonObject;
}
