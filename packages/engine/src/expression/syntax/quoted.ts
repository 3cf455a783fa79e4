import { type Node, SyntaxFailure, type TextPart } from './ast.ts';
import { findSpans } from './spans.ts';
import type { Offsets } from './tokenize.ts';

export interface ParseOptions {
  /** The index, in the text the author wrote, of index i of the parsed text. */
  readonly offsets?: Offsets;
  readonly nesting?: number;
  readonly inArguments?: boolean;
}

export interface Parsed {
  readonly node: Node;
  /** Outside of arguments there is one of `&& || ?? ?:`, which no plain text has by accident. */
  readonly scriptOperators: boolean;
}

/** Handed in, because quoted texts contain expressions and expressions contain quoted texts. */
export type Parse = (text: string, options: ParseOptions) => Parsed;

const ITEM_WORD = /(?<![A-Za-z0-9_$.])item(?:\.[A-Za-z0-9_]+|\[-?[0-9]+\])*(?![A-Za-z0-9_(])/g;

/** The `$spans` inside a quoted text; a span that is no expression stays text. */
export function parseTextParts(text: string, options: Required<ParseOptions>, parse: Parse): TextPart[] {
  return parseParts(text, findSpans(text), { options, parse });
}

/** An item expression that does not parse is a text in which `item.path` words are replaced. */
export function parseItemTemplate(text: string, options: Required<ParseOptions>, parse: Parse): TextPart[] {
  const spans = findSpans(text);
  const words = [...text.matchAll(ITEM_WORD)].map((found) => ({
    start: found.index,
    end: found.index + found[0].length,
    text: found[0],
  }));
  const free = words.filter((word) => !spans.some((span) => word.start < span.end && span.start < word.end));
  return parseParts(
    text,
    [...spans, ...free].sort((a, b) => a.start - b.start),
    { options, parse },
  );
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Inner {
  readonly options: Required<ParseOptions>;
  readonly parse: Parse;
}

function parseParts(text: string, pieces: readonly Piece[], inner: Inner): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const piece of pieces) {
    if (piece.start > from) parts.push(text.slice(from, piece.start));
    const node = tryParse(piece, inner);
    parts.push(node === null ? piece.text : { raw: piece.text, node });
    from = piece.end;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

function tryParse(piece: Piece, inner: Inner): Node | null {
  try {
    return parseSpanWith(piece, inner.options, inner.parse).node;
  } catch (error) {
    if (error instanceof SyntaxFailure && error.problem.code === 'syntax') return null;
    throw error;
  }
}

export function parseSpanWith(piece: Piece, options: ParseOptions, parse: Parse): Parsed {
  const outer = options.offsets;
  const offsets = (index: number): number =>
    outer === undefined ? piece.start + index : outer(piece.start + index);
  return parse(piece.text.replace(/\.+$/, ''), { ...options, offsets });
}
