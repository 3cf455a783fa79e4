import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { jsonIn } from '../../source/depth.ts';

/** JSON Schema of the values that look like the example: every key of an object is required, as in n8n since 2025. */
export function schemaOfExample(example: Json): JsonObject {
  if (example === null) return {};
  if (Array.isArray(example)) {
    const [first] = example;
    return first === undefined ? { type: 'array' } : { type: 'array', items: schemaOfExample(first) };
  }
  if (!isJsonObject(example)) return { type: typeof example };
  const properties = Object.fromEntries(
    Object.entries(example).map(([key, value]) => [key, schemaOfExample(value)]),
  );
  return { type: 'object', properties, required: Object.keys(example) };
}

/** The example that n8n takes when a form was left as it is. */
export const USUAL_EXAMPLE: Json = {
  state: 'California',
  cities: ['Los Angeles', 'San Francisco', 'San Diego'],
};

/** A schema as the answer of a model has it: an object, which holds any other value as `value`. */
export interface AnswerSchema {
  readonly schema: JsonObject;
  readonly isWrapped: boolean;
}

export function answerSchema(schema: JsonObject): AnswerSchema {
  const isObject = schema['type'] === 'object' || isJsonObject(schema['properties'] ?? null);
  if (isObject) return { schema, isWrapped: false };
  return {
    schema: { type: 'object', properties: { value: schema }, required: ['value'] },
    isWrapped: true,
  };
}

/** An object or list of JSON in a parameter; undefined for none, and for text with expressions. */
export function fixedJson(stored: Json | undefined): JsonObject | Json[] | undefined {
  if (typeof stored !== 'string') return typeof stored === 'object' && stored !== null ? stored : undefined;
  if (stored.includes('{{')) return undefined;
  try {
    const value = jsonIn(stored.replace(/^=/, ''));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
