import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { readJsonAnswer, type ToolAnswer, type ToolUse } from '@millrace/models';
import { typedArguments } from '../../kit/mcp/arguments.ts';
import { isChecked } from '../../kit/mcp/is-checked.ts';
import type { LargeResults } from './large-results.ts';
import type { AgentCall, Tool, Used } from './tool.ts';

const MAX_ARGUMENTS = 1_000_000;

/** What came of a tool that the model asked for. */
export interface Done {
  readonly used: Used;
  /** Its entry of `tool_calls` in the output. */
  readonly entry: JsonObject;
}

/**
 * Uses the tools that one answer asks for: neighbours that change nothing at the same time, all others one after another in
 * the order of the answer. After a person has refused, nothing more is used.
 */
export async function useTools(
  call: AgentCall,
  tools: ReadonlyMap<string, Tool>,
  { uses, turn }: { readonly uses: readonly ToolUse[]; readonly turn: number },
): Promise<Done[]> {
  const done: Done[] = [];
  const wanted = uses.map((use, at) => ({ use, key: `tool-${turn}-${at + 1}` }));
  for (let at = 0; at < wanted.length; ) {
    const first = wanted[at];
    if (!first) break;
    const isParallel = ({ use }: typeof first) => tools.get(use.name)?.is_parallel === true;
    let end = at + 1;
    if (isParallel(first)) {
      for (let next = wanted[end]; next && isParallel(next); next = wanted[end]) end++;
    }
    const group = wanted.slice(at, end);
    // Checks finish in any order; tools start in the order of the answer.
    const read = await Promise.all(group.map((one) => readUse(call, tools, one)));
    const results = await Promise.all(read.map((one) => useOne(call, one)));
    done.push(...results);
    if (results.some(({ used }) => used.refused === true)) break;
    at = end;
  }
  return done;
}

type ReadUse =
  | { readonly use: ToolUse; readonly key: string; readonly tool: Tool; readonly input: JsonObject }
  | { readonly done: Done };

/** A requested tool call; already answered when it cannot be made. */
async function readUse(
  call: AgentCall,
  tools: ReadonlyMap<string, Tool>,
  { use, key }: { readonly use: ToolUse; readonly key: string },
): Promise<ReadUse> {
  const tool = tools.get(use.name);
  if (!tool) {
    const names = [...tools.keys()].join(', ');
    const error = `There is no tool "${use.name.slice(0, 100)}". Tools: ${names === '' ? 'none' : names}`;
    return { done: doneWith({ use, tool, input: null }, { result: { error }, elapsed_ms: 0 }) };
  }
  const read = await argumentsOf(call, tool, use.arguments);
  if (read.problem !== undefined) {
    const error = `The arguments of ${use.name} cannot be used: ${read.problem}`;
    return { done: doneWith({ use, tool, input: read.input }, { result: { error }, elapsed_ms: 0 }) };
  }
  return { use, key, tool, input: read.input };
}

async function useOne(call: AgentCall, read: ReadUse): Promise<Done> {
  if ('done' in read) return read.done;
  const { use, key, tool, input } = read;
  call.progress({ message: use.name });
  const done = doneWith({ use, tool, input }, await tool.use(input, key));
  call.progress({ message: use.name, entry: done.entry });
  return done;
}

type Read =
  | { readonly input: JsonObject; readonly problem?: undefined }
  | { readonly input: Json; readonly problem: string };

/** What a model wrote, with its usual mistakes in JSON repaired, in the types of the schema and checked against it. */
async function argumentsOf(
  call: AgentCall,
  { definition, ignores_others }: Tool,
  written: string,
): Promise<Read> {
  if (written.length > MAX_ARGUMENTS)
    return { input: null, problem: `more than ${MAX_ARGUMENTS} characters` };
  const read = readJsonAnswer(written.trim() === '' ? '{}' : written, true);
  if (read.problem !== undefined) return { input: written, problem: read.problem };
  if (!isJsonObject(read.value)) return { input: read.value, problem: 'they must be a JSON object' };
  try {
    const given = ignores_others ? namedOf(read.value, definition.input_schema) : read.value;
    const input = typedArguments(given, definition.input_schema);
    await isChecked(call, input, definition.input_schema);
    return { input };
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    const { field = '', message } = error.failure;
    const name = field.split('.').slice(1).join('.');
    return { input: read.value, problem: name === '' ? message : `"${name}" ${message}` };
  }
}

function namedOf(given: JsonObject, { properties }: JsonObject): JsonObject {
  const isNamed = (name: string) => isJsonObject(properties) && Object.hasOwn(properties, name);
  return Object.fromEntries(Object.entries(given).filter(([name]) => isNamed(name)));
}

/** Longest result that the output repeats in full. */
const MAX_RECORDED = 200_000;

interface Wanted {
  readonly use: ToolUse;
  readonly tool: Tool | undefined;
  readonly input: Json;
}

function doneWith({ use, tool, input }: Wanted, used: Used): Done {
  const text = JSON.stringify(used.result);
  const result: Json =
    text.length > MAX_RECORDED ? { characters: text.length, preview: text.slice(0, 4_000) } : used.result;
  const entry = {
    name: use.name,
    arguments: input,
    result,
    elapsed_ms: used.elapsed_ms,
    ...(tool?.source ? { source: tool.source } : {}),
    ...tool?.facts,
    ...workflowName(tool, input),
  };
  return { used, entry };
}

function workflowName(tool: Tool | undefined, input: Json): JsonObject {
  const name = tool?.nameOf?.(input);
  return name === undefined ? {} : { workflow_name: name };
}

/** The result that the model receives for each tool that it asked for; a tool that was not used any more says so. */
export function answersTo(
  uses: readonly ToolUse[],
  done: readonly Done[],
  large: LargeResults,
  turn: number,
) {
  return uses.map(({ id, name }, at): ToolAnswer => {
    const used = done[at]?.used;
    const result = used?.result ?? { error: 'not used' };
    const is_error = isJsonObject(result) && Object.keys(result).length === 1 && 'error' in result;
    return { id, name, is_error, text: large.shown(`tool-${turn}-${at + 1}`, result) };
  });
}
