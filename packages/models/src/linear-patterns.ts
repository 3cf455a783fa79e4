import {
  isJsonObject,
  type Json,
  type JsonObject,
  type LinearPattern,
  linearPattern,
} from '@millrace/engine';
import type { z } from 'zod';

/** Keys whose values are names of properties, not keywords. */
export const NAMES = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
/** Keys whose values are data. */
export const DATA = new Set(['const', 'enum', 'default', 'examples', 'example']);

const MARK = /^\^#pattern (\d+)\$$/;

/**
 * The schema with a mark in the place of each `pattern`: zod makes a RegExp of every pattern, and one of a user could
 * hold the process for hours.
 *
 * @param found gets the patterns, by the numbers of their marks
 * @throws Error for patterns that cannot be matched in linear time
 */
export function withMarkedPatterns(schema: Json, found: LinearPattern[]): Json {
  if (Array.isArray(schema)) return schema.map((part) => withMarkedPatterns(part, found));
  if (!isJsonObject(schema)) return schema;
  if (isJsonObject(schema['patternProperties'])) {
    throw new Error('"patternProperties" is not supported; name the properties');
  }
  const result: JsonObject = {};
  for (const [key, inside] of Object.entries(schema)) {
    if (key === 'pattern' && typeof inside === 'string') result[key] = markPattern(inside, found);
    else if (DATA.has(key)) result[key] = inside;
    else if (NAMES.has(key) && isJsonObject(inside)) {
      result[key] = Object.fromEntries(
        Object.entries(inside).map(([name, part]) => [name, withMarkedPatterns(part, found)]),
      );
    } else result[key] = withMarkedPatterns(inside, found);
  }
  return result;
}

function markPattern(source: string, found: LinearPattern[]): string {
  try {
    found.push(linearPattern(source));
  } catch (error) {
    throw new Error(`the pattern ${JSON.stringify(source)} ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
  return `^#pattern ${found.length - 1}$`;
}

/**
 * Puts the patterns where their marks are in a schema of zod.
 *
 * @throws Error when a mark is at a place that zod does not show: without its pattern the check would be another one
 */
export function placePatterns(check: z.ZodType, patterns: readonly LinearPattern[]): void {
  const missing = new Set(patterns.keys());
  const seen = new Set<unknown>();
  const open: unknown[] = missing.size === 0 ? [] : [check];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== 'object' || part === null || seen.has(part)) continue;
    seen.add(part);
    const holder = part as Record<string, unknown>;
    const { pattern } = holder;
    const mark = pattern instanceof RegExp ? MARK.exec(pattern.source)?.[1] : undefined;
    if (mark !== undefined) {
      holder['pattern'] = patterns[Number(mark)];
      missing.delete(Number(mark));
    }
    open.push(...listParts(holder));
  }
  if (missing.size > 0)
    throw new Error('"pattern" is not supported at this place, such as in "propertyNames"');
}

/** The parts of a schema, a check or its definition; references to other schemas are functions. */
function listParts(holder: Record<string, unknown>): unknown[] {
  const { _zod: inner, getter } = holder;
  const referred: unknown = typeof getter === 'function' ? (getter as () => unknown)() : undefined;
  if (isRecord(inner)) return [inner['def']];
  return [referred, ...Object.values(holder)];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
