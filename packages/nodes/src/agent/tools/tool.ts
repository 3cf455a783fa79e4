import {
  type CalledNode,
  type Json,
  type JsonObject,
  NodeFailure,
  type VariableWrite,
} from '@millrace/engine';
import type { ToolDefinition } from '@millrace/models';
import type { z } from 'zod';
import type { NodeCall } from '../../implement.ts';
import { generatedFilesIn } from '../../kit/files/generated-files.ts';
import type { Tokens } from '../conversation/token-count.ts';
import type { agent } from '../definition.ts';

export type AgentCall = NodeCall<z.output<typeof agent.params>>;

/** Before which uses of a tool a person is asked. */
export type ApprovalMode = 'always' | 'once' | 'never';

/** The outcome of a tool that the model asked for, as it is recorded. */
export type Used = {
  result: Json;
  elapsed_ms: number;
  /** Writes of a node that was the tool; they count when the agent ends. */
  variables?: JsonObject[];
  disables?: string[];
  /** Files that the tool has made, as the output lists them. */
  generated_files?: JsonObject[];
  /** A person refused, so the agent ends. */
  refused?: boolean;
  /** Tokens of the agent that was the tool, with those that it asked. */
  usage?: Tokens;
  /** The result came from outside; said by tools that report it. */
  outside_content?: boolean;
  /** The node that performed the step, for the history. */
  called?: CalledNode;
};

export interface Tool {
  readonly definition: ToolDefinition;
  /** How `tool_calls` of the output names the kind of tool; absent for Python tools. */
  readonly source?:
    | 'mcp'
    | 'skill'
    | 'sub_agent'
    | 'sub_workflow'
    | 'hitl'
    | 'node_tool'
    | 'web'
    | 'stored_result';
  /** Others may run beside it. */
  readonly is_parallel: boolean;
  /**
   * `nothing`: computed from the conversation alone. `reads`: brings content from elsewhere. `changes`: may change or send
   * something, and may bring content, too; what a tool is that does not say.
   */
  readonly touches?: 'nothing' | 'reads' | 'changes';
  /** Its results come from other services, whose authors may be strangers: the model reads them marked as data. */
  readonly is_outside?: boolean;
  /** Some of its results do; each use says whether that is one. */
  readonly is_outside_at_times?: boolean;
  /** Each use says whether its result comes from outside, in place of what the tool touches. */
  readonly reports_outside?: boolean;
  /** How the form of the agent names it, where that differs from its name: the label of a node, the name of a skill. */
  readonly title?: string;
  /** Whether a person has to agree before it is used; absent: not. */
  readonly approval?: ApprovalMode;
  /** Arguments outside the schema have no effect, so they are dropped rather than rejected. */
  readonly ignores_others?: boolean;
  /** Further entries of `tool_calls`. */
  readonly facts?: JsonObject;
  /** Name of the workflow that such a use runs. */
  readonly getWorkflowName?: (input: Json) => string | undefined;
  /** Does the work in steps whose names begin with `key`. */
  use(input: JsonObject, key: string): Promise<Used>;
}

/** Longest name that all providers take. */
const MAX_NAME = 64;

/** A name of a tool as providers take it. */
export function toolName(text: string): string {
  const slug = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_NAME);
  return slug === '' ? 'tool' : slug;
}

/** The same tools, each under a name of its own: the second of a name becomes `name_2`. */
export function withOwnNames(tools: readonly Tool[]): Tool[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    const wanted = tool.definition.name;
    let name = wanted;
    for (let count = 2; taken.has(name); count++) {
      const suffix = `_${count}`;
      name = wanted.slice(0, MAX_NAME - suffix.length) + suffix;
    }
    taken.add(name);
    return name === wanted ? tool : { ...tool, definition: { ...tool.definition, name } };
  });
}

/** The result that a model receives for a failed tool: it may try something else. */
export const failedResult = (error: NodeFailure): JsonObject => ({ error: error.failure.message });

/**
 * The same for code in a sandbox, which the model reads and can correct. Without a sandbox the agent fails, so that the model does not
 * invent a result.
 */
export function failedCode(error: unknown, signal: AbortSignal): JsonObject {
  if (!(error instanceof NodeFailure) || signal.aborted || error.failure.kind === 'sandbox') throw error;
  return failedResult(error);
}

/** One step that is the whole use of a tool. Its failure is a result like any other. */
export async function usedInOneStep(
  call: AgentCall,
  work: () => Promise<Omit<Used, 'elapsed_ms'>>,
): Promise<Used> {
  const started_ms = call.services.now();
  return usedSince(call, started_ms, work());
}

/**
 * A use of several steps. Its outcome is final once it is recorded: another attempt of the agent must not do a part of it
 * again that failed, because the model has received the failure.
 */
export function usedInSteps(
  call: AgentCall,
  key: string,
  work: () => Promise<Omit<Used, 'elapsed_ms'>>,
): Promise<Used> {
  return call.step<Used>(key, 'steps', async () => {
    const started_ms = await call.step(`${key}/begin`, 'pure', () => call.services.now());
    return usedSince(call, started_ms, work());
  });
}

async function usedSince(
  call: AgentCall,
  started_ms: number,
  work: Promise<Omit<Used, 'elapsed_ms'>>,
): Promise<Used> {
  const used = await work.catch((error: unknown) => {
    if (!(error instanceof NodeFailure) || call.signal.aborted) throw error;
    return { result: failedResult(error) };
  });
  return { ...used, elapsed_ms: call.services.now() - started_ms };
}

/**
 * A failure outside of the work itself is a result for the model, too: arguments that the tool cannot take, or a step
 * that is not repeated because it may have taken effect before a crash.
 */
export async function orFailedResult(call: AgentCall, use: Promise<Used>): Promise<Used> {
  return use.catch((error: unknown) => {
    if (!(error instanceof NodeFailure) || call.signal.aborted) throw error;
    return { result: failedResult(error), elapsed_ms: 0 };
  });
}

/** Guarantee: made by `recordedEffects`, so that they are JSON and come back as they were. */
export const getWrites = (used: Used): readonly VariableWrite[] =>
  (used.variables ?? []) as unknown as readonly VariableWrite[];

/** The variables that a node that was the tool has written and the files that it has made, as they are recorded. */
export function recordedEffects({
  output,
  variables = [],
  disables = [],
}: {
  readonly output: Json;
  readonly variables?: readonly VariableWrite[] | undefined;
  readonly disables?: readonly string[] | undefined;
}): Pick<Used, 'variables' | 'disables' | 'generated_files'> {
  const generated_files = generatedFilesIn(output);
  return {
    ...(variables.length > 0 ? { variables: variables.map((write) => ({ ...write })) } : {}),
    ...(disables.length > 0 ? { disables: [...disables] } : {}),
    ...(generated_files.length > 0 ? { generated_files } : {}),
  };
}
