import { isJsonObject, type Json, type JsonObject, printValue, readText, readTextAt } from '@millrace/engine';

/** A step of a node as a list shows it. */
export interface ShownStep {
  readonly id: string;
  /** `model`: an answer of a language model. `summary`: one that shortens a conversation. */
  readonly kind: 'model' | 'summary' | 'other';
  /** Name of the tool that was used, or of the step. */
  readonly name: string;
  /** The beginning of what came of it. */
  readonly about: string;
  readonly status: string;
  readonly error: string | undefined;
  readonly output: Json;
  readonly ms: number;
  readonly tokens: number | undefined;
  /** 0 for steps of the node itself, 1 for those of a node that it called, and so on. */
  readonly depth: number;
}

/** Marks of time that only a repeated node needs. */
const MARKS = /(^|\/)(begin|start|asked|time-\d+)$/;
const TOOL = /^tool-(\d+)-(\d+)$/;
const LONGEST = 160;

/** Steps in the order in which they ended, as the row of a node has them. */
export function shownSteps(steps: unknown): ShownStep[] {
  if (!Array.isArray(steps)) return [];
  const known = steps.filter(isJsonObject);
  const names = toolNames(known);
  return known
    .filter(({ key }) => typeof key === 'string' && !MARKS.test(key))
    .map((step, index) => shown(step, index, names));
}

/** The tool behind each use, which the answer that asked for it names: `tool-2-1` is the first tool of the second answer. */
function toolNames(steps: readonly JsonObject[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { key, output } of steps) {
    if (typeof key !== 'string' || !isJsonObject(output)) continue;
    const [, path = '', turn] = /^(.*?)model-(\d+)$/.exec(key) ?? [];
    const answer = output['answer'];
    const uses = isJsonObject(answer) ? answer['tool_calls'] : undefined;
    if (turn === undefined || !Array.isArray(uses)) continue;
    for (const [at, use] of uses.entries()) {
      if (isJsonObject(use) && typeof use['name'] === 'string')
        names.set(`${path}tool-${turn}-${at + 1}`, use['name']);
    }
  }
  return names;
}

function shown(step: JsonObject, index: number, names: ReadonlyMap<string, string>): ShownStep {
  const key = readTextAt(step, 'key');
  const parts = key.split('/');
  const last = parts.at(-1) ?? key;
  const output = step['output'] ?? null;
  const error = typeof step['error'] === 'string' ? step['error'] : failureIn(output, last);
  const isModel = /^model-\d+$/.test(last);
  return {
    id: `${index} ${key}`,
    kind: isModel ? 'model' : /^compress-\d+$/.test(last) ? 'summary' : 'other',
    name: names.get(key) ?? last,
    about: summarizeOutput(output, isModel),
    status: error === undefined ? 'success' : 'error',
    error,
    output,
    ms: readDuration(step, output),
    tokens: countTokens(output),
    depth: parts.length - 1,
  };
}

/** A failed tool is a step that succeeded: its failure was passed to the model. */
function failureIn(output: Json, name: string): string | undefined {
  if (!TOOL.test(name) || !isJsonObject(output) || !isJsonObject(output['result'])) return undefined;
  const { error } = output['result'];
  return typeof error === 'string' ? error : undefined;
}

function summarizeOutput(output: Json, isModel: boolean): string {
  if (isModel && isJsonObject(output) && isJsonObject(output['answer'])) {
    const { text, tool_calls } = output['answer'];
    const uses = Array.isArray(tool_calls) ? tool_calls : [];
    const names = uses.flatMap((use) =>
      isJsonObject(use) && typeof use['name'] === 'string' ? [use['name']] : [],
    );
    return [readText(text), names.join(', ')]
      .filter((part) => part !== '')
      .join(' → ')
      .slice(0, LONGEST);
  }
  const result = isJsonObject(output) && output['result'] !== undefined ? output['result'] : output;
  return printValue(result).slice(0, LONGEST);
}

function readDuration(step: JsonObject, output: Json): number {
  const own = isJsonObject(output) ? output['elapsed_ms'] : undefined;
  const whole = step['execution_time_ms'];
  return typeof own === 'number' ? own : typeof whole === 'number' ? whole : 0;
}

function countTokens(output: Json): number | undefined {
  const answer = isJsonObject(output) ? (output['answer'] ?? output) : undefined;
  const usage = isJsonObject(answer) ? answer['usage'] : undefined;
  const total = isJsonObject(usage) ? usage['total_tokens'] : undefined;
  return typeof total === 'number' ? total : undefined;
}
