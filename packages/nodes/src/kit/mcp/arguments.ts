import {
  isJsonObject,
  type Json,
  type JsonObject,
  losesDigits,
  parseExactJson,
  TextCache,
} from '@millrace/engine';
import { refusedParam } from '../refused-param.ts';

/** A larger schema is left to the server. */
const MAX_SCHEMA_CHARACTERS = 256 * 1024;
const FIELD = 'toolArguments';

/**
 * The arguments in the types that the tool's JSON Schema asks for: evaluated templates are texts, so `"5"` becomes 5 where a
 * number is asked for. An empty text is left out,
 * unless the tool asks for a text.
 */
export function typedArguments(given: JsonObject, schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const entries = Object.entries(given).flatMap(([name, value]): [string, Json][] => {
    const types = collectTypes(Object.hasOwn(properties, name) ? properties[name] : undefined);
    if (value === '' && !(required.has(name) && takesText(types))) return [];
    return [[name, typed(value, types)]];
  });
  const missing = [...required].find((name) => !entries.some(([key]) => key === name));
  if (typeof missing === 'string') {
    throw refusedParam(`${FIELD}.${missing}`, 'is required by the tool; enter a value');
  }
  return Object.fromEntries(entries);
}

/** A schema that names no type takes any. */
const takesText = (types: ReadonlySet<unknown>): boolean => types.size === 0 || types.has('string');

function typed(value: Json, types: ReadonlySet<unknown>): Json {
  if (typeof value !== 'string' || takesText(types)) return value;
  const text = value.trim();
  const isNumber = text !== '' && Number.isFinite(Number(text)) && !losesDigits(text);
  if ((types.has('number') || types.has('integer')) && isNumber) return Number(text);
  if (types.has('boolean') && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (types.has('null') && /^(null|none)?$/i.test(text)) return null;
  if (!types.has('array') && !types.has('object')) return value;
  try {
    return parseExactJson(text) as Json;
  } catch {
    return value;
  }
}

function collectTypes(schema: Json | undefined, depth = 0): Set<unknown> {
  if (!isJsonObject(schema) || depth > 5) return new Set();
  const { type, anyOf, oneOf, enum: values } = schema;
  const named = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const ways = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const listed = Array.isArray(values) && type === undefined ? values.map(jsonType) : [];
  return new Set([...named, ...listed, ...ways.flatMap((way) => [...collectTypes(way, depth + 1)])]);
}

function jsonType(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

type Check = (input: unknown) => { valid: boolean; errorMessage?: string | undefined };

/** Compiling a schema takes a hundred times as long as checking against it, and agents ask for the same tools again. */
const checks = new TextCache<Check>({ maxEntries: 200, maxCharacters: 1_000_000 });

/** Throws for a schema that cannot be compiled. */
async function checkFor(schema: JsonObject, text: string): Promise<Check> {
  const known = checks.get(text);
  if (known) return known;
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv');
  // One for each schema: it keeps what it has compiled.
  const check = new AjvJsonSchemaValidator().getValidator(schema);
  checks.set(text, check);
  return check;
}

/**
 * Checks arguments against the tool's schema before anything is sent. Patterns are left to the server: a regular expression
 * that a stranger wrote can keep this process busy for ever.
 *
 * @returns false when the schema cannot be checked here
 */
export async function checkArguments(input: JsonObject, schema: JsonObject): Promise<boolean> {
  const checked = withoutPatterns(schema) as JsonObject;
  const text = JSON.stringify(checked);
  if (text.length > MAX_SCHEMA_CHARACTERS) return false;
  let outcome: ReturnType<Check>;
  try {
    outcome = (await checkFor(checked, text))(input);
  } catch {
    return false;
  }
  if (outcome.valid) return true;
  throw refusedParam(FIELD, inWords(outcome.errorMessage ?? 'do not fit what the tool accepts'));
}

/** `data/count must be integer, data must have ...` with the names that the form shows. */
function inWords(message: string): string {
  return message
    .replace(/\bdata\/([^\s,]+)/g, (_, path: string) => `"${path.replaceAll('/', '.')}"`)
    .replace(/\bdata must\b/g, 'must')
    .slice(0, 500);
}

function withoutPatterns(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (!isJsonObject(schema)) return schema;
  const names = isJsonObject(schema['patternProperties'])
    ? new Set(['patternProperties', 'additionalProperties', 'unevaluatedProperties'])
    : new Set<string>();
  const kept = Object.entries(schema).filter(
    ([key, value]) => !names.has(key) && !(key === 'pattern' && typeof value === 'string'),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutPatterns(value)]));
}
