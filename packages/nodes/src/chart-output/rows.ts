import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { valueAt } from '../kit/values/list/items.ts';
import { parseNumber } from '../kit/values/numeric.ts';

/** The source that a chart is drawn from: one output as it is, several as one object, of which the later ones win. */
export function mergeOutputs(outputs: readonly Json[]): Json {
  const [only = {}] = outputs;
  if (outputs.length < 2) return only;
  return Object.assign({}, ...outputs.filter(isJsonObject)) as JsonObject;
}

/** Rows at a path; without one the list itself, that in `data`, the first list, or the value as the only row. */
export function findRows(source: Json, path: string): readonly Json[] {
  if (path !== '') {
    const found = valueAt(source, path);
    // Services often omit an empty list.
    return Array.isArray(found) ? found : [];
  }
  if (Array.isArray(source)) return source;
  if (!isJsonObject(source)) return [source];
  const { data } = source;
  const found = Array.isArray(data) ? data : Object.values(source).find(Array.isArray);
  return found ?? [source];
}

/** Numbers also out of texts, as forms and tables have them; null for what is none. */
export function numberIn(value: Json): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? (parseNumber(value) ?? null) : null;
}

/** The first field of the first row that holds a number, or one that holds none. */
export function fieldWith(rows: readonly Json[], isNumber: boolean, but = ''): string {
  const [first] = rows;
  if (first === undefined || !isJsonObject(first)) return '';
  const fields = Object.entries(first).filter(
    ([name, value]) => name !== but && typeof value !== 'object' && (numberIn(value) !== null) === isNumber,
  );
  return fields[0]?.[0] ?? '';
}
