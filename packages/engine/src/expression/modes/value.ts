import { compileProgram } from '../evaluate/compile.ts';
import { type BareNames, Context, NoValue, type Scope } from '../evaluate/context.ts';
import type { Node, SyntaxProblem } from '../syntax/ast.ts';
import { parseExpression, parseSpan } from '../syntax/parse.ts';
import type { Parsed } from '../syntax/quoted.ts';
import { findSpans, type Span } from '../syntax/spans.ts';
import { finish } from '../values/settle.ts';
import { jsonLiteralPlan } from './json-literal.ts';
import { attempt, fatalPlan, isFatal, limitError, nativePlan, type Plan, staticPlan } from './plan.ts';
import { templatePlan } from './template.ts';

const ARITHMETIC_BEHIND = /\s*[-+*/%]/y;

/** Keeps the type of a text that is one expression, and fills in the spans of any other. */
export function valuePlan(text: string): Plan {
  if (!text.includes('$')) return staticPlan(text);
  const spans = findSpans(text);
  const leading = /^\s*\$/.exec(text)?.[0].length ?? 0;
  if (leading > 0) return dollarFirst(text, spans, leading) ?? templatePlan(text, spans);
  return jsonLiteralPlan(text, spans) ?? substitution(text, spans) ?? templatePlan(text, spans);
}

/** Evaluates what starts with `$`, without a space before it, as one expression and keeps its type. */
export function rawPlan(text: string): Plan {
  if (!text.startsWith('$')) return templatePlan(text);
  const spans = findSpans(text);
  const single = singleSpan(text, spans);
  if (single !== null) return single;
  // Here a digit may follow, too: `$42` is a number.
  const whole = /^\$[0-9]/.test(text) ? parseBehind(text, 1) : parseWhole(text, 1);
  if ('parsed' in whole) return nativePlan(whole.parsed.node, compileProgram(whole.parsed.node));
  if (isFatal(whole.problem)) return fatalPlan(whole.problem);
  const plan = templatePlan(text, spans);
  return { ...plan, problems: [whole.problem, ...plan.problems] };
}

/** A text without spaces that starts with `$` is one expression; null becomes an empty text. */
export function promptPlan(text: string): Plan {
  if (!text.startsWith('$') || /\s/.test(text)) return templatePlan(text);
  const spans = findSpans(text);
  const plan = singleSpan(text, spans) ?? wholeNative(text);
  if (plan === null) return templatePlan(text, spans);
  const run = (scope: Scope): unknown => {
    const value = plan.run(scope) ?? null;
    if (value !== null) return value;
    scope.noteUnresolved?.(text.trim(), '');
    return '';
  };
  return { ...plan, run };
}

function wholeNative(text: string): Plan | null {
  const whole = parseWhole(text, 1);
  return 'parsed' in whole ? nativePlan(whole.parsed.node, compileProgram(whole.parsed.node)) : null;
}

/** Rules 1, 2 and 4 for a text that starts with `$`; null when it is a template. */
function dollarFirst(text: string, spans: readonly Span[], leading: number): Plan | null {
  const single = singleSpan(text, spans);
  if (single !== null) return single;
  const isCode = startsCode(text[leading]);
  if (!isCode && spans.some((span) => isArithmeticBehind(text, span))) return substitution(text, spans);
  const whole = parseWhole(text, leading);
  if ('problem' in whole) return isFatal(whole.problem) ? fatalPlan(whole.problem) : null;
  const { node, scriptOperators } = whole.parsed;
  // More than one span is text, unless there is an operator that no text has by accident.
  if (spans.length > 1 && !scriptOperators && !isCode) return null;
  return fallbackPlan(node, { text, spans, failedResult: 'null', bare_names: 'existing value' });
}

/** A bracket or a quoted text directly behind the first `$` makes the whole an expression: `$(…)`, `$'a' + b`. */
function startsCode(behindDollar: string | undefined): boolean {
  return behindDollar !== undefined && '{([\'"'.includes(behindDollar);
}

/** The whole text as one expression, when it is one; otherwise null, for a template (rules 1 and 3). */
function substitution(text: string, spans: readonly Span[]): Plan | null {
  if (spans.length === 0) return null;
  const whole = attempt(() => parseExpression(text));
  if ('problem' in whole) return whole.problem.code === 'too_deep' ? fatalPlan(whole.problem) : null;
  const { node } = whole.parsed;
  // Text that is no JSON with references stays text, so that it keeps the form in which it was written.
  if (node.kind === 'list' || node.kind === 'dict') return null;
  // `n is $n` is a sentence, even where something is called n.
  const bare_names = /^\s*\$/.test(text) ? 'existing value' : 'word';
  return fallbackPlan(node, { text, spans, failedResult: 'text', bare_names });
}

function isArithmeticBehind(text: string, span: Span): boolean {
  ARITHMETIC_BEHIND.lastIndex = span.end;
  return ARITHMETIC_BEHIND.test(text);
}

function singleSpan(text: string, spans: readonly Span[]): Plan | null {
  const [span] = spans;
  if (spans.length !== 1 || span === undefined || span.text !== text.trim()) return null;
  const result = attempt(() => parseSpan(span));
  if ('parsed' in result) return nativePlan(result.parsed.node, compileProgram(result.parsed.node));
  return isFatal(result.problem) ? fatalPlan(result.problem) : null;
}

/** Parses from behind the first `$` when no name follows it (`$(…)`, `${…}`, `$'a' + b`), else with it. */
function parseWhole(
  text: string,
  behindDollar: number,
): { readonly parsed: Parsed } | { readonly problem: SyntaxProblem } {
  const next = text[behindDollar];
  if (next !== undefined && /[A-Za-z]/.test(next)) return attempt(() => parseExpression(text));
  if (!startsCode(next)) {
    const message = 'A reference is "$" followed by a letter.';
    return { problem: { code: 'syntax', message, start: behindDollar - 1, end: behindDollar } };
  }
  return parseBehind(text, behindDollar);
}

function parseBehind(
  text: string,
  behindDollar: number,
): { readonly parsed: Parsed } | { readonly problem: SyntaxProblem } {
  const rest = text.slice(behindDollar);
  return attempt(() => parseExpression(rest, { offsets: (index) => behindDollar + index }));
}

interface Fallback {
  readonly text: string;
  readonly spans: readonly Span[];
  /** The result of the whole when an operation has none. */
  readonly failedResult: 'null' | 'text';
  readonly bare_names: BareNames;
}

/** An expression that turns into a template where it names what does not exist, or where it fails. */
function fallbackPlan(node: Node, { text, spans, failedResult, bare_names }: Fallback): Plan {
  const template = templatePlan(text, spans);
  const { code, slots } = compileProgram(node, bare_names);
  const run = (scope: Scope): unknown => {
    const context = new Context(scope, slots);
    try {
      return finish(context, code(context));
    } catch (error) {
      if (!(error instanceof NoValue)) throw limitError(error);
      return failedResult === 'null' && !error.isUnknownName ? null : template.run(scope);
    }
  };
  return { run, nodes: [node], problems: [], isStatic: false, keepsType: true };
}
