import { isBlockedKey } from '../../json.ts';
import { emptyObject, isObject } from '../values/settle.ts';

const MAX_DEPTH = 8;

/** A value of the shape that a JSON Schema describes, so that completion knows nodes which have never run. */
export function buildSample(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return null;
  const { type, default: otherwise, examples, enum: values, anyOf, oneOf } = schema;
  if (otherwise !== undefined) return otherwise;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (Array.isArray(values) && values.length > 0) return values[0];
  if (schema.const !== undefined) return schema.const;
  const choice = Array.isArray(anyOf) ? anyOf[0] : Array.isArray(oneOf) ? oneOf[0] : undefined;
  if (choice !== undefined) return buildSample(choice, depth + 1);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return '';
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return schema.items === undefined ? [] : [buildSample(schema.items, depth + 1)];
    case 'object':
      return sampleObject(schema.properties, depth);
    default:
      return null;
  }
}

function sampleObject(properties: unknown, depth: number): unknown {
  const sample = emptyObject();
  if (!isObject(properties)) return sample;
  for (const [key, value] of Object.entries(properties)) {
    if (!isBlockedKey(key)) sample[key] = buildSample(value, depth + 1);
  }
  return sample;
}
