import type { JsonPath } from './json-path.ts';
import { classifyValue, isContainer } from './json-rows.ts';

export interface JsonChange {
  path: JsonPath;
  kind: 'added' | 'removed' | 'changed';
  before: unknown;
  after: unknown;
}

type Container = Record<string | number, unknown>;

function listKeys(value: unknown): (string | number)[] {
  return Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value as object);
}

/** Where two values differ, the deepest differing places only; at most `limit`. */
export function jsonDiff(before: unknown, after: unknown, limit = 500): JsonChange[] {
  const changes: JsonChange[] = [];
  const visit = (a: unknown, b: unknown, path: JsonPath): void => {
    if (changes.length >= limit || Object.is(a, b)) return;
    const kind = classifyValue(a);
    if (!isContainer(kind) || kind !== classifyValue(b)) {
      changes.push({ path, kind: 'changed', before: a, after: b });
      return;
    }
    const [left, right] = [a as Container, b as Container];
    for (const name of new Set([...listKeys(a), ...listKeys(b)])) {
      if (changes.length >= limit) return;
      const inner = [...path, name];
      if (!Object.hasOwn(left, name))
        changes.push({ path: inner, kind: 'added', before: undefined, after: right[name] });
      else if (!Object.hasOwn(right, name))
        changes.push({ path: inner, kind: 'removed', before: left[name], after: undefined });
      else visit(left[name], right[name], inner);
    }
  };
  visit(before, after, []);
  return changes;
}
