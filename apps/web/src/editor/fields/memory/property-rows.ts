import type { Json } from '@millrace/engine';
import { printValue } from '@millrace/engine/json';

/** A property as the form edits it. */
export interface PropertyRow {
  name: string;
  value: string;
}

export const propertyRows = (properties: Readonly<Record<string, Json>>): PropertyRow[] =>
  Object.entries(properties).map(([name, value]) => ({ name, value: printValue(value) }));

/** Rows without a name are left out. A value that was not changed keeps its type; what a person writes is text. */
export function toProperties(
  rows: readonly PropertyRow[],
  before: Readonly<Record<string, Json>>,
): Record<string, Json> {
  const named = rows.filter(({ name }) => name.trim() !== '');
  return Object.fromEntries(
    named.map(({ name, value }): [string, Json] => {
      const key = name.trim();
      const stored = Object.hasOwn(before, key) ? before[key] : undefined;
      return [key, stored !== undefined && printValue(stored) === value ? stored : value];
    }),
  );
}
