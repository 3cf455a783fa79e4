import { compile, type ExpressionMode } from '../compile.ts';
import type { Scope } from '../evaluate/context.ts';
import { createScope, type ScopeSources } from '../evaluate/scope.ts';
import { ExpressionError, MAX_EXPRESSION_LENGTH } from '../limits.ts';
import { typeName } from '../values/compare.ts';
import { emptyObject, isObject } from '../values/settle.ts';

export interface PreviewRequest {
  readonly expression: string;
  /** Mode of the field; `value` when none is named. */
  readonly mode?: ExpressionMode;
  readonly scope: Scope;
  readonly selected_loop_total?: number | null;
}

/** The answer of the evaluate endpoint. */
export interface Preview {
  readonly result: unknown;
  readonly result_type: 'string' | 'number' | 'boolean' | 'array' | 'object' | 'null';
  /** False when the field turns any result of the expression into text. */
  readonly preserved_type: boolean;
  readonly error: string | null;
  readonly selected_loop_total: number | null;
}

const PATH = /^[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+|\[(?:-?[0-9]+|"[^"\\]*"|'[^'\\]*')\])*$/;

/** Evaluates for the editor. An error is part of the answer; this never throws for any text. */
export function preview(request: PreviewRequest): Preview {
  const { scope, mode = 'value', selected_loop_total = null } = request;
  const expression = withDollar(request.expression, scope);
  if (expression.length > MAX_EXPRESSION_LENGTH) {
    const error = `An expression may have at most ${MAX_EXPRESSION_LENGTH} characters.`;
    return { result: null, result_type: 'null', preserved_type: false, error, selected_loop_total };
  }
  const compiled = compile(expression, mode);
  const preserved_type = compiled.keepsType;
  try {
    const result = compiled.evaluate(scope);
    return { result, result_type: plainType(result), preserved_type, error: null, selected_loop_total };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { result: null, result_type: 'null', preserved_type, error: error.message, selected_loop_total };
  }
}

/** A plain dot path counts as if it had its `$`; a single word only when it names something. */
function withDollar(expression: string, scope: Scope): string {
  const path = expression.trim();
  if (expression.includes('\n') || !PATH.test(path)) return expression;
  if (/[.[]/.test(path)) return `$${path}`;
  return scope.lookup(path) === undefined ? expression : `$${path}`;
}

export function plainType(value: unknown): Preview['result_type'] {
  const type = typeName(value);
  return type === 'date' ? 'string' : type;
}

export interface PreviewNodeResult {
  readonly node_id: string;
  readonly label: string;
  readonly output: unknown;
}

export interface PreviewSources extends Omit<ScopeSources, 'values'> {
  /** Results of the nodes before the current one, in the order in which they ran. */
  readonly node_results: readonly PreviewNodeResult[];
  /** Labels of the nodes that are connected directly, in the order of their edges. */
  readonly input_labels: readonly string[];
  /** Body of a sample request, when no result of a trigger is known. */
  readonly input_body?: unknown;
  /** Label of the innermost loop around the node, where that is known; else it follows from the results. */
  readonly loop_label?: string | null;
  readonly selected_loop_iteration_index?: number | null;
  /** Labels of the nodes whose output is a variable that they set. */
  readonly variable_labels?: ReadonlySet<string>;
  /** `vars`, `global`, `credentials` and the run context. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * A scope of what the editor knows: the last results, one chosen round of a loop, or a sample body. Names mean the same
 * as in a run.
 */
export function previewScope(sources: PreviewSources): { scope: Scope; selected_loop_total: number | null } {
  const { results, total } = resultsAt(sources);
  const outputs = new Map(results.map(({ label, output }) => [label, output]));
  const inputs = directInputs(sources, outputs);
  const merged = emptyObject();
  for (const input of inputs) if (isObject(input)) Object.assign(merged, input);
  for (const [label, output] of outputs) merged[label] = output;
  const values = Object.assign(emptyObject(), merged, sources.values, collectVariables(sources, results));
  const [first] = inputs;
  values.input = isObject(first) || first === undefined ? (first ?? null) : { value: first };
  const scope = {
    ...createScope({ ...sources, values }),
    inputMember: (key: string): unknown => merged[key],
  };
  return { scope, selected_loop_total: total };
}

/** `$vars` as the variable nodes before this one left them; `$global` sees them too. */
function collectVariables(
  { variable_labels, values }: PreviewSources,
  results: readonly PreviewNodeResult[],
): Record<string, unknown> {
  if (!variable_labels) return {};
  const written = emptyObject();
  for (const { label, output } of results) {
    if (!variable_labels.has(label) || !isObject(output) || typeof output.name !== 'string') continue;
    written[output.name] = output.value ?? null;
  }
  const vars = Object.assign(emptyObject(), values?.['vars'], written);
  return { vars, global: Object.assign(emptyObject(), values?.['global'], vars) };
}

function directInputs(sources: PreviewSources, outputs: ReadonlyMap<string, unknown>): unknown[] {
  const known = sources.input_labels.flatMap((label) => (outputs.has(label) ? [outputs.get(label)] : []));
  if (known.length > 0 || sources.input_body === undefined) return known;
  const body = sources.input_body;
  return [{ headers: {}, query: {}, body, ...(isObject(body) ? body : {}) }];
}

/**
 * The results as they stood in one round of the loop around the node: in the chosen one, else in the last. A node of the
 * body never sees the end of its loop, nor what its neighbours gave in a later round.
 */
function resultsAt(sources: PreviewSources): { results: readonly PreviewNodeResult[]; total: number | null } {
  const { node_results, selected_loop_iteration_index: wanted } = sources;
  const label = sources.loop_label ?? loopOfResults(sources);
  let total: number | null = null;
  let start = -1;
  for (const [at, result] of node_results.entries()) {
    const round = result.label === label ? loopRound(result.output) : null;
    if (round === null) continue;
    ({ total } = round);
    if (typeof wanted !== 'number' || round.index === wanted) start = at;
  }
  if (start < 0) return { results: node_results, total };
  const end = node_results.findIndex((result, at) => at > start && result.label === label);
  return { results: end < 0 ? node_results : node_results.slice(0, end), total };
}

/** The loop that ran last, unless it has ended and none of its rounds is requested. */
function loopOfResults(sources: PreviewSources): string | null {
  const { node_results, selected_loop_iteration_index: wanted } = sources;
  const last = node_results.findLast(({ output }) => loopRound(output) !== null);
  if (!last) return null;
  const hasEnded = loopRound(node_results.findLast(({ label }) => label === last.label)?.output) === null;
  return hasEnded && typeof wanted !== 'number' ? null : last.label;
}

function loopRound(output: unknown): { index: number; total: number } | null {
  if (!isObject(output) || output.branch !== 'loop') return null;
  const { index, total } = output;
  return typeof index === 'number' && typeof total === 'number' ? { index, total } : null;
}
