import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { readJsonAnswer } from '@millrace/models';
import { typedArguments } from '../../kit/mcp/arguments.ts';
import { isChecked } from '../../kit/mcp/is-checked.ts';
import { parsedJson } from '../../kit/text/parsed-json.ts';
import type { AgentCall, Tool } from './tool.ts';

const MAX_ARGUMENTS = 1_000_000;

export type ReadArguments =
  | { readonly input: JsonObject; readonly problem?: undefined }
  | { readonly input: Json; readonly problem: string };

/**
 * The arguments that a model wrote, with its usual mistakes in JSON repaired, in the types of the schema and checked
 * against it.
 */
export async function parseArguments(call: AgentCall, tool: Tool, written: string): Promise<ReadArguments> {
  if (written.length > MAX_ARGUMENTS)
    return { input: null, problem: `more than ${MAX_ARGUMENTS} characters` };
  const read = readJsonAnswer(written.trim() === '' ? '{}' : written, true);
  if (read.problem !== undefined) return { input: written, problem: read.problem };
  return checked(call, tool, read.value);
}

const FENCED = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/i;

/** The arguments as a person edited them. Nothing in them is repaired: what is used is exactly what was approved. */
export async function editedArguments(call: AgentCall, tool: Tool, edited: string): Promise<ReadArguments> {
  const text = FENCED.exec(edited)?.[1] ?? edited;
  const value = parsedJson(text);
  return value === undefined
    ? { input: text, problem: 'they are not valid JSON' }
    : checked(call, tool, value);
}

async function checked(
  call: AgentCall,
  { definition, ignores_others }: Tool,
  value: Json,
): Promise<ReadArguments> {
  if (!isJsonObject(value)) return { input: value, problem: 'they must be a JSON object' };
  try {
    const given = ignores_others ? pickNamed(value, definition.input_schema) : value;
    const input = typedArguments(given, definition.input_schema);
    await isChecked(call, input, definition.input_schema);
    return { input };
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    const { field = '', message } = error.failure;
    const name = field.split('.').slice(1).join('.');
    return { input: value, problem: name === '' ? message : `"${name}" ${message}` };
  }
}

function pickNamed(given: JsonObject, { properties }: JsonObject): JsonObject {
  const isNamed = (name: string) => isJsonObject(properties) && Object.hasOwn(properties, name);
  return Object.fromEntries(Object.entries(given).filter(([name]) => isNamed(name)));
}
