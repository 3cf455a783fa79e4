import { GRAPH_LIMITS } from '@millrace/contracts';
import { isBlockedKey } from '@millrace/engine';
import { invalidField } from '../../../core/app-error.ts';

type Path = (string | number)[];

const LONE_SURROGATE = /\p{Surrogate}/gu;

function cleanText(text: string, path: Path): string {
  if (text.includes('\0')) throw invalidField(path, 'must not contain NUL characters', 'string_invalid');
  return text.replace(LONE_SURROGATE, '\uFFFD');
}

function cleanObject(value: object, path: Path, depth: number): Record<string, unknown> {
  const cleaned: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (isBlockedKey(key)) {
      throw invalidField([...path, key], `"${key}" is not allowed as a key`, 'key_forbidden');
    }
    cleaned[cleanText(key, path)] = clean(item, [...path, key], depth + 1);
  }
  return cleaned;
}

function clean(value: unknown, path: Path, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value, path);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > GRAPH_LIMITS.depth) {
    throw invalidField(path, `is nested deeper than ${GRAPH_LIMITS.depth} levels`, 'too_deep');
  }
  if (Array.isArray(value)) return value.map((item, index) => clean(item, [...path, index], depth + 1));
  return cleanObject(value, path, depth);
}

/**
 * User data made safe to store: no key that could reach a prototype, no NUL, no endless nesting, and lone surrogates,
 * which no database and no other program takes, become U+FFFD.
 *
 * @throws AppError `invalid_input` whose `loc` is `path` and the way down from there
 */
export function cleanJson<T>(value: T, path: Path): T {
  return clean(value, path, 0) as T;
}
