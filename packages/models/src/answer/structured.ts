import {
  isJsonObject,
  type Json,
  type JsonObject,
  type LinearPattern,
  losesDigits,
  parseExactJson,
} from '@millrace/engine';
import { isBlockedKey } from '@millrace/engine/json';
import { jsonrepair } from 'jsonrepair';
import { z } from 'zod';
import { DATA, NAMES, placePatterns, withMarkedPatterns } from '../linear-patterns.ts';

/** `problem`: what is wrong, as a sentence without a subject. */
export type Reading<T> =
  | { readonly value: T; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

/** The JSON Schema of an answer and its check. */
export interface AnswerSchema {
  /** With `additionalProperties: false` at every object, as strict modes of providers ask for. */
  readonly strict: JsonObject;
  /** The problem with an answer; undefined when it follows the schema. */
  readonly problemWith: (answer: Json) => string | undefined;
}

/** Leaves out keys that could reach a prototype. */
const withoutBlocked = (key: string, value: unknown): unknown => (isBlockedKey(key) ? undefined : value);

/** Reads the text of a JSON Schema for an answer that a provider is asked to give. */
export function readSchema(text: string): Reading<AnswerSchema> {
  const written = schemaIn(text);
  if (!written.value) return { problem: written.problem };
  const strict = closed(written.value) as JsonObject;
  const check = compileCheck(strict);
  return check.value ? { value: { strict, problemWith: check.value } } : { problem: check.problem };
}

/** Reads the text of a JSON Schema that answers are checked with as it is written: further properties are allowed. */
export function readSchemaCheck(text: string): Reading<AnswerSchema['problemWith']> {
  const written = schemaIn(text);
  return written.value ? compileCheck(written.value) : { problem: written.problem };
}

function schemaIn(text: string): Reading<JsonObject> {
  let schema: unknown;
  try {
    schema = JSON.parse(text, withoutBlocked);
  } catch (error) {
    return { problem: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  return isJsonObject(schema) ? { value: schema } : { problem: 'must be a JSON object' };
}

function compileCheck(schema: JsonObject): Reading<AnswerSchema['problemWith']> {
  try {
    const patterns: LinearPattern[] = [];
    const check = z.fromJSONSchema(withMarkedPatterns(schema, patterns) as JsonObject);
    placePatterns(check, patterns);
    return { value: (answer) => findProblem(check, answer) };
  } catch (error) {
    return { problem: `is not a usable JSON Schema: ${error instanceof Error ? error.message : ''}` };
  }
}

function findProblem(check: z.ZodType, answer: Json): string | undefined {
  const issues = check.safeParse(answer).error?.issues ?? [];
  const numeric = issues.reduce((value, { path }) => withNumbersAt(value, path), answer);
  const [issue] = issues;
  if (!issue || (numeric !== answer && check.safeParse(numeric).success)) return undefined;
  const where = issue.path.length === 0 ? 'the answer' : `"${issue.path.map(String).join('.')}"`;
  return `${where}: ${issue.message}`;
}

/**
 * Whole numbers that a double cannot hold are read as texts with their digits. Where the schema asks for something else, the
 * check sees the largest number that keeps its digits.
 */
function withNumbersAt(value: Json, [key, ...path]: readonly PropertyKey[]): Json {
  if (typeof value === 'string') {
    if (!losesDigits(value)) return value;
    return value.startsWith('-') ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  }
  if (typeof value !== 'object' || value === null) return value;
  const isHere = (name: PropertyKey): boolean => key === undefined || String(key) === name;
  let isChanged = false;
  const changed = (part: Json, name: string): Json => {
    const made = isHere(name) ? withNumbersAt(part, path) : part;
    if (made !== part) isChanged = true;
    return made;
  };
  const copy = Array.isArray(value)
    ? value.map((part, at) => changed(part, String(at)))
    : Object.fromEntries(Object.entries(value).map(([name, part]) => [name, changed(part, name)]));
  return isChanged ? copy : value;
}

function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, inside] of Object.entries(value)) {
    if (DATA.has(key)) result[key] = inside;
    else if (NAMES.has(key) && isJsonObject(inside)) {
      result[key] = Object.fromEntries(Object.entries(inside).map(([name, part]) => [name, closed(part)]));
    } else result[key] = closed(inside);
  }
  const isObject = value['type'] === 'object' || isJsonObject(value['properties']);
  return isObject ? { ...result, additionalProperties: false } : result;
}

/** Repair time can be cubic in the length: 30,000 characters can take more than a minute. */
export const QUICK_REPAIR_CHARACTERS = 1_000;

/**
 * The JSON in an answer: as it is, without its Markdown fence, or, when `may_repair` and it has at most `most` characters, with
 * common mistakes repaired (quotes, commas, a missing end). Plain text is not JSON.
 */
export function readJsonAnswer(
  text: string,
  may_repair: boolean,
  most = QUICK_REPAIR_CHARACTERS,
): Reading<Json> {
  const inside = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/i.exec(text)?.[1] ?? text;
  try {
    return { value: parseExactJson(inside, withoutBlocked) as Json };
  } catch (error) {
    if (may_repair && inside.length <= most && /^\s*[[{]/.test(inside)) {
      try {
        return { value: parseExactJson(jsonrepair(inside), withoutBlocked) as Json };
      } catch {
        // The message of the strict parser says more.
      }
    }
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
