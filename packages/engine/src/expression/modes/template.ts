import { compileProgram, textOrRaw } from '../evaluate/compile.ts';
import { type Code, Context, NoValue, produceText, type Scope } from '../evaluate/context.ts';
import { MAX_SPANS } from '../limits.ts';
import type { Node, SyntaxProblem } from '../syntax/ast.ts';
import { parseExpression, parseSpan } from '../syntax/parse.ts';
import { findSpans, type Span } from '../syntax/spans.ts';
import { textIn } from '../values/text.ts';
import { attempt, fatalPlan, isFatal, limitError, type Plan, staticPlan } from './plan.ts';

/** A line that is one `$test ? a : b`; where it names what does not exist, it is text with spans. */
interface Choice {
  readonly code: Code;
  readonly otherwise: readonly Piece[];
}

type Piece = string | { readonly raw: string; readonly code: Code } | Choice;

/** Replaces every span by the text of its value; what has no value stays as it is written. */
export function templatePlan(text: string, spans: readonly Span[] = findSpans(text)): Plan {
  if (spans.length > MAX_SPANS) return fatalPlan(tooManySpans(text));
  const parts: Parts = { pieces: [], nodes: [], problems: [], slots: 0 };
  let at = 0;
  for (const line of collectLines(text, spans)) {
    const own: Parts = { pieces: [], nodes: [], problems: [], slots: parts.slots };
    const fatal = fillIn(text, line, own);
    if (fatal !== null) return fatalPlan(fatal);
    const choice = parseChoice(text, line);
    parts.slots = Math.max(own.slots, choice?.slots ?? 0);
    parts.pieces.push(text.slice(at, line.start));
    parts.pieces.push(...(choice === null ? own.pieces : [{ code: choice.code, otherwise: own.pieces }]));
    parts.nodes.push(...(choice === null ? own.nodes : [choice.node]));
    parts.problems.push(...own.problems);
    at = line.end;
  }
  const { pieces, nodes, problems, slots } = parts;
  if (nodes.length === 0) return staticPlan(text, problems);
  pieces.push(text.slice(at));
  const run = runner(
    pieces.filter((piece) => piece !== ''),
    slots,
  );
  return { run, nodes, problems, isStatic: false, keepsType: false };
}

interface Parts {
  readonly pieces: Piece[];
  readonly nodes: Node[];
  readonly problems: SyntaxProblem[];
  slots: number;
}

interface Line {
  readonly start: number;
  readonly end: number;
  readonly spans: readonly Span[];
}

/** Lines in which a span begins, each up to the end of its last span at least. */
function collectLines(text: string, spans: readonly Span[]): Line[] {
  const lines: Line[] = [];
  for (let index = 0; index < spans.length; ) {
    const first = spans[index] as Span;
    const start = text.lastIndexOf('\n', first.start) + 1;
    const own: Span[] = [];
    let end = start;
    do {
      const span = spans[index++] as Span;
      own.push(span);
      const next = text.indexOf('\n', span.end);
      end = next === -1 ? text.length : next;
    } while (index < spans.length && (spans[index] as Span).start < end);
    lines.push({ start: Math.max(start, lines.at(-1)?.end ?? 0), end, spans: own });
  }
  return lines;
}

/** Cuts a line into its texts and spans. Returns the problem that fails the whole, or null. */
function fillIn(text: string, line: Line, parts: Parts): SyntaxProblem | null {
  let from = line.start;
  for (const span of line.spans) {
    const result = attempt(() => parseSpan(span));
    if ('problem' in result) {
      if (isFatal(result.problem)) return result.problem;
      parts.problems.push(result.problem);
      continue;
    }
    const program = compileProgram(result.parsed.node);
    parts.slots = Math.max(parts.slots, program.slots);
    if (span.start > from) parts.pieces.push(text.slice(from, span.start));
    parts.pieces.push({ raw: span.text, code: program.code });
    parts.nodes.push(result.parsed.node);
    from = span.end;
  }
  if (from < line.end) parts.pieces.push(text.slice(from, line.end));
  return null;
}

/** `$test ? a : b` has no meaning as text, so a line that is nothing else is evaluated. */
function parseChoice(text: string, line: Line): { node: Node; code: Code; slots: number } | null {
  const written = text.slice(line.start, line.end);
  if (!/^\s*\$[A-Za-z].*\?.*:/s.test(written)) return null;
  const result = attempt(() =>
    parseExpression(written.trimEnd(), { offsets: (index) => line.start + index }),
  );
  if ('problem' in result || result.parsed.node.kind !== 'choose') return null;
  const { node } = result.parsed;
  return { node, ...compileProgram(node, 'existing value') };
}

function tooManySpans(text: string): SyntaxProblem {
  const message = `A text may have at most ${MAX_SPANS} references.`;
  return { code: 'too_long', message, start: 0, end: text.length };
}

function runner(pieces: readonly Piece[], slots: number): (scope: Scope) => string {
  return (scope) => {
    const context = new Context(scope, slots);
    try {
      return produceText(context, renderPieces(context, pieces));
    } catch (error) {
      throw limitError(error);
    }
  };
}

function renderPieces(context: Context, pieces: readonly Piece[]): string {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else text += 'otherwise' in piece ? chosenText(context, piece) : textOrRaw(context, piece);
  }
  return text;
}

function chosenText(context: Context, { code, otherwise }: Choice): string {
  try {
    const value = code(context);
    return value === null || value === undefined ? '' : textIn(context, value);
  } catch (error) {
    if (!(error instanceof NoValue)) throw error;
    return renderPieces(context, otherwise);
  }
}
