import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { ToolAnswer, ToolUse } from '@millrace/models';
import { markedData } from '../../kit/text/marked-data.ts';
import type { Approvals } from './approvals.ts';
import { parseArguments } from './arguments.ts';
import type { LargeResults } from './large-results.ts';
import type { AgentCall, Tool, Used } from './tool.ts';

/** The outcome of a tool that the model asked for. */
export interface Done {
  readonly used: Used;
  /** Its entry of `tool_calls` in the output. */
  readonly entry: JsonObject;
  /** Whether the model reads the result as data from outside. */
  readonly is_outside: boolean;
  /** Whether the agent works with content from outside from now on. */
  readonly brings_outside: boolean;
}

/** The tools that an agent may use, and who is asked before. */
export interface Toolbox {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly approvals: Approvals;
}

/**
 * Uses the tools that one answer asks for: neighbours that change nothing at the same time, all others one after another in
 * the order of the answer. After a person has refused, nothing more is used.
 */
export async function useTools(
  call: AgentCall,
  { tools, approvals }: Toolbox,
  { uses, turn }: { readonly uses: readonly ToolUse[]; readonly turn: number },
): Promise<Done[]> {
  const done: Done[] = [];
  const wanted = uses.map((use, at) => ({ use, key: `tool-${turn}-${at + 1}` }));
  for (let at = 0; at < wanted.length; ) {
    const first = wanted[at];
    if (!first) break;
    const isParallel = ({ use }: typeof first) => {
      const tool = tools.get(use.name);
      return tool?.is_parallel === true && !approvals.isNeeded(tool);
    };
    let end = at + 1;
    if (isParallel(first)) {
      for (let next = wanted[end]; next && isParallel(next); next = wanted[end]) end++;
    }
    const group = wanted.slice(at, end);
    // Checks finish in any order; tools start in the order of the answer.
    const read = await Promise.all(group.map((one) => readUse(call, tools, one)));
    const results = await Promise.all(read.map((one) => useOne(call, approvals, one)));
    done.push(...results);
    if (results.some(({ brings_outside }) => brings_outside)) approvals.noteOutsideContent();
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
  const read = await parseArguments(call, tool, use.arguments);
  if (read.problem !== undefined) {
    const error = `The arguments of ${use.name} cannot be used: ${read.problem}`;
    return { done: doneWith({ use, tool, input: read.input }, { result: { error }, elapsed_ms: 0 }) };
  }
  return { use, key, tool, input: read.input };
}

async function useOne(call: AgentCall, approvals: Approvals, read: ReadUse): Promise<Done> {
  if ('done' in read) return read.done;
  const { use, key, tool } = read;
  call.progress({ message: use.name });
  const approval = approvals.isNeeded(tool) ? await approvals.ask(tool, read.input, key) : read;
  const done =
    'used' in approval && approval.used
      ? doneWith({ use, tool, input: read.input }, approval.used)
      : doneWith({ use, tool, input: approval.input }, await tool.use(approval.input, key));
  call.progress({ message: use.name, entry: done.entry });
  return done;
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
  const is_outside = tool?.is_outside === true || used.outside_content === true;
  return { used, entry, is_outside, brings_outside: bringsOutside(tool, used) };
}

function bringsOutside(tool: Tool | undefined, { outside_content = false }: Used): boolean {
  if (!tool) return false;
  return tool.reports_outside === true ? outside_content : tool.touches !== 'nothing';
}

function workflowName(tool: Tool | undefined, input: Json): JsonObject {
  const name = tool?.getWorkflowName?.(input);
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
    const text = large.shown(`tool-${turn}-${at + 1}`, result);
    return { id, name, is_error, text: done[at]?.is_outside ? markedData(name, text) : text };
  });
}
