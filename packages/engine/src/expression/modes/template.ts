import { compileProgram, textOrRaw } from '../evaluate/compile.ts';
import { type Code, Context, produceText, type Scope } from '../evaluate/context.ts';
import { MAX_SPANS } from '../limits.ts';
import type { Node, SyntaxProblem } from '../syntax/ast.ts';
import { parseSpan } from '../syntax/parse.ts';
import { findSpans, type Span } from '../syntax/spans.ts';
import { attempt, fatalPlan, isFatal, limitError, type Plan, staticPlan } from './plan.ts';

type Piece = string | { readonly raw: string; readonly code: Code };

/** Replaces every span by the text of its value; what has no value stays as it is written. */
export function templatePlan(text: string, spans: readonly Span[] = findSpans(text)): Plan {
  if (spans.length > MAX_SPANS) return fatalPlan(tooManySpans(text));
  const pieces: Piece[] = [];
  const nodes: Node[] = [];
  const problems: SyntaxProblem[] = [];
  let slots = 0;
  let from = 0;
  for (const span of spans) {
    const result = attempt(() => parseSpan(span));
    if ('problem' in result) {
      if (isFatal(result.problem)) return fatalPlan(result.problem);
      problems.push(result.problem);
      continue;
    }
    const program = compileProgram(result.parsed.node);
    slots = Math.max(slots, program.slots);
    if (span.start > from) pieces.push(text.slice(from, span.start));
    pieces.push({ raw: span.text, code: program.code });
    nodes.push(result.parsed.node);
    from = span.end;
  }
  if (nodes.length === 0) return staticPlan(text, problems);
  if (from < text.length) pieces.push(text.slice(from));
  return { run: runner(pieces, slots), nodes, problems, isStatic: false, keepsType: false };
}

function tooManySpans(text: string): SyntaxProblem {
  const message = `A text may have at most ${MAX_SPANS} references.`;
  return { code: 'too_long', message, start: 0, end: text.length };
}

function runner(pieces: readonly Piece[], slots: number): (scope: Scope) => string {
  return (scope) => {
    const context = new Context(scope, slots);
    try {
      let text = '';
      for (const piece of pieces) text += typeof piece === 'string' ? piece : textOrRaw(context, piece);
      return produceText(context, text);
    } catch (error) {
      throw limitError(error);
    }
  };
}
