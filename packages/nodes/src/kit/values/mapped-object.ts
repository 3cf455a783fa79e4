import type { Json, JsonObject } from '@millrace/engine';
import { objectFromEntries } from './object-keys.ts';

export interface Mapping {
  key: string;
  value: unknown;
}

/** The object that mapping rows describe. Rows without a key are skipped, later duplicates win, keys are never split at dots. */
export function mappedObject(mappings: readonly Mapping[], field: string): JsonObject {
  const entries: [string, Json][] = [];
  for (const { key, value } of mappings) {
    if (key.trim() !== '') entries.push([key, evaluated(value)]);
  }
  return objectFromEntries(entries, field);
}

/** Guarantee: parameters are evaluated before a node runs, and evaluation yields JSON only. */
export function evaluated(value: unknown): Json {
  return value === undefined ? null : (value as Json);
}
