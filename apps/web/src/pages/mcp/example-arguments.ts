import type { McpTool } from '@millrace/contracts';
import type { Json, JsonObject } from '@millrace/engine';

const EMPTY = new Map<unknown, Json>([
  ['number', 0],
  ['boolean', false],
  ['array', []],
  ['object', {}],
]);

const firstChoice = (choices: Json | undefined): Json | undefined =>
  Array.isArray(choices) ? choices[0] : undefined;

/** Arguments to begin with: the default values of the schema, else the first choice or an empty value of each type. */
export function exampleArguments({ properties }: McpTool['inputSchema']): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, about]): [string, Json] => [
      name,
      about['default'] ?? firstChoice(about['enum']) ?? EMPTY.get(about['type']) ?? '',
    ]),
  );
}
