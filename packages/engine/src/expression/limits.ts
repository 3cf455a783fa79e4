/** Longest single expression: one `$span`, or a whole field read as one expression. */
export const MAX_EXPRESSION_LENGTH = 10_000;
/** Longest text in which spans are looked for; static parts of a template are cheap. */
export const MAX_TEMPLATE_LENGTH = 2_000_000;
/** References in one text. */
export const MAX_SPANS = 10_000;
/** Open brackets, nested operators and strings in strings while parsing. */
export const MAX_NESTING = 100;
/** Height of a parsed expression, long operator chains included. */
export const MAX_TREE_DEPTH = 500;
/** Nested lists and objects in a value that an expression builds or writes as text. */
export const MAX_VALUE_DEPTH = 1_000;
/** Work units of one evaluation; one unit is at most some tens of nanoseconds. */
export const MAX_STEPS = 2_000_000;
/** Longest text one operation may produce, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 16_000_000;
/** Characters which an operation reads or writes for one unit of work. */
export const CHARACTERS_PER_STEP = 16;
export const MAX_PATTERN_LENGTH = 500;
/** Instructions of a compiled regular expression. */
export const MAX_PATTERN_PROGRAM = 3_000;

export type ExpressionErrorCode = 'too_long' | 'too_deep' | 'budget' | 'range' | 'argument' | 'unresolved';

/** The few things that fail a node. Everything else in an expression ends as null or as text. */
export class ExpressionError extends Error {
  readonly code: ExpressionErrorCode;
  readonly start?: number;
  readonly end?: number;

  constructor(code: ExpressionErrorCode, message: string, at?: { start: number; end: number }) {
    super(message);
    this.name = 'ExpressionError';
    this.code = code;
    if (at !== undefined) {
      this.start = at.start;
      this.end = at.end;
    }
  }
}
