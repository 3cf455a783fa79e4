import { nearest } from '../../nearest.ts';
import { compile, type ExpressionMode } from '../compile.ts';
import { compileProgram } from '../evaluate/compile.ts';
import { Context, NoValue, type Scope } from '../evaluate/context.ts';
import { ExpressionError } from '../limits.ts';
import type { Reference } from '../modes/references.ts';
import { listChildren, type Node } from '../syntax/ast.ts';
import { typeName, type ValueType } from '../values/compare.ts';
import { finish, isObject } from '../values/settle.ts';

export interface ExplainedPart {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** 0 for a whole span or expression, one more for each level inside. */
  readonly depth: number;
  readonly value: unknown;
  readonly type: ValueType;
  /** Why this part has no value. */
  readonly failure: string | null;
}

/** A reference that led nowhere. */
export interface MissingReference {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The part of the path at which nothing was found: the name itself, or a key behind it. */
  readonly missing: string;
  /** Names that exist in its place. */
  readonly available: readonly string[];
  readonly suggestion: string | null;
}

/** A comparison of text with a number: they are never equal and have no order, so the condition is false. */
export interface MixedComparison {
  /** Source of the text operand. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The text looks like a number, as form values do. */
  readonly is_numeric: boolean;
}

export interface Explanation {
  readonly result: unknown;
  readonly error: string | null;
  readonly parts: readonly ExplainedPart[];
  readonly missing: readonly MissingReference[];
  readonly mixed: readonly MixedComparison[];
}

const MAX_PARTS = 200;
const MAX_AVAILABLE = 50;

/** Evaluates a text and each of its parts, for messages that say which part had which value. */
export function inlineExplain(
  text: string,
  mode: ExpressionMode,
  known: { readonly scope: Scope; readonly names?: readonly string[] },
): Explanation {
  const compiled = compile(text, mode);
  const parts: ExplainedPart[] = [];
  for (const node of compiled.nodes) collect(node, 0, { text, scope: known.scope, parts });
  const missing = compiled.references.flatMap((reference) => findMissing(text, reference, known) ?? []);
  const { value, failure } = attemptResult(() => compiled.evaluate(known.scope));
  const mixed = compiled.nodes.flatMap((node) => mixedIn(node, { text, scope: known.scope }));
  return { result: value, error: failure, parts, missing, mixed };
}

interface Collected {
  readonly text: string;
  readonly scope: Scope;
  readonly parts: ExplainedPart[];
}

/** Constants explain themselves; what a loop or item binds has no value of its own. */
function collect(node: Node, depth: number, into: Collected): void {
  if (node.kind === 'constant' || node.kind === 'item_expression' || into.parts.length >= MAX_PARTS) return;
  into.parts.push(explainPart(node, depth, into));
  if (node.kind === 'list_for' || node.kind === 'dict_for') {
    const [first] = node.clauses;
    if (first !== undefined) collect(first.source, depth + 1, into);
    return;
  }
  for (const child of listChildren(node)) collect(child, depth + 1, into);
}

function explainPart(node: Node, depth: number, { text, scope }: Omit<Collected, 'parts'>): ExplainedPart {
  const { start, end } = node;
  const { value, failure } = attemptResult(() => {
    const program = compileProgram(node);
    const context = new Context(scope, program.slots);
    return finish(context, program.code(context));
  });
  return { text: text.slice(start, end), start, end, depth, value, type: typeName(value), failure };
}

/** Comparisons in item expressions and comprehensions are skipped: their operands have no single value. */
function mixedIn(node: Node, from: Omit<Collected, 'parts'>): MixedComparison[] {
  if (node.kind === 'item_expression' || node.kind === 'list_for' || node.kind === 'dict_for') return [];
  const inner = listChildren(node).flatMap((child) => mixedIn(child, from));
  if (node.kind !== 'compare') return inner;
  const operands = [node.first, ...node.rest.map(({ operand }) => operand)].map((operand) =>
    explainPart(operand, 0, from),
  );
  const own = node.rest.flatMap(({ operator }, at): MixedComparison[] => {
    const pair = [operands[at], operands[at + 1]];
    const word = pair.find((operand) => operand?.type === 'string');
    const isMixed = word !== undefined && pair.some((operand) => operand?.type === 'number');
    if (!isMixed || operator === 'in' || operator === 'not in') return [];
    const { text, start, end, value } = word;
    const is_numeric = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
    return [{ text, start, end, is_numeric }];
  });
  return [...inner, ...own];
}

function attemptResult(evaluate: () => unknown): { value: unknown; failure: string | null } {
  try {
    return { value: evaluate(), failure: null };
  } catch (error) {
    if (error instanceof NoValue || error instanceof ExpressionError)
      return { value: null, failure: error.message };
    throw error;
  }
}

function findMissing(
  text: string,
  reference: Reference,
  { scope, names = [] }: { readonly scope: Scope; readonly names?: readonly string[] },
): MissingReference | null {
  if (reference.name === 'now' || reference.name === 'UUID') return null;
  const place = {
    text: text.slice(reference.start, reference.end),
    start: reference.start,
    end: reference.end,
  };
  let value = scope.lookup(reference.name);
  if (value === undefined) return { ...place, ...lost(reference.name, names) };
  for (const key of reference.path) {
    const next = stepInto(value, key);
    if (next === undefined) return { ...place, ...lost(key, isObject(value) ? Object.keys(value) : []) };
    value = next;
  }
  return null;
}

/** Undefined when there is no such key; lists and texts have members that are not data, so they count as found. */
function stepInto(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^-?[0-9]+$/.test(key) ? value.at(Number(key)) : null;
  if (typeof value === 'string') return null;
  if (!isObject(value)) return undefined;
  return Object.hasOwn(value, key) || key === 'length' ? (value[key] ?? null) : undefined;
}

function lost(
  missing: string,
  available: readonly string[],
): Pick<MissingReference, 'missing' | 'available' | 'suggestion'> {
  return {
    missing,
    available: available.slice(0, MAX_AVAILABLE),
    suggestion: nearest(missing, available),
  };
}
