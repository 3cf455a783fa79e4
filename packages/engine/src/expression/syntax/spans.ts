import { MAX_EXPRESSION_LENGTH } from '../limits.ts';

/** One `$reference` in a text, with its groups and chained members. `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const LETTER = /[A-Za-z]/;
const PATH = /[A-Za-z0-9_.]*/y;
const CHAINED = /\.[A-Za-z0-9_]+/y;
const CLOSING: Record<string, string> = { '(': ')', '[': ']' };

/**
 * Finds the spans of a text: `$` and a letter, then a dotted path,
 * then balanced groups and further members.
 */
export function findSpans(text: string): Span[] {
  const spans: Span[] = [];
  // Brackets that never close would be scanned again from every `$`; the allowance keeps that linear.
  const allowance = { left: text.length * 2 + 20_000 };
  let at = text.indexOf('$');
  while (at !== -1) {
    const next = text[at + 1];
    if (next !== undefined && LETTER.test(next)) {
      const end = spanEnd(text, at + 1, allowance);
      spans.push({ start: at, end, text: text.slice(at, end) });
      at = text.indexOf('$', end);
    } else {
      at = text.indexOf('$', at + 1);
    }
  }
  return spans;
}

function spanEnd(text: string, nameStart: number, allowance: { left: number }): number {
  let end = skipGroups(text, match(PATH, text, nameStart), allowance);
  while (text[end] === '.') {
    const chained = match(CHAINED, text, end);
    if (chained === end) break;
    end = skipGroups(text, chained, allowance);
  }
  return end;
}

function match(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function skipGroups(text: string, from: number, allowance: { left: number }): number {
  let end = from;
  while (text[end] === '(' || text[end] === '[') {
    const close = groupEnd(text, end, allowance);
    if (close === -1) return end;
    end = close;
  }
  return end;
}

/** Index behind the bracket that closes the one at `open`, or -1. Brackets in quotes do not count. */
function groupEnd(text: string, open: number, allowance: { left: number }): number {
  const expected: string[] = [];
  const limit = Math.min(text.length, open + MAX_EXPRESSION_LENGTH, open + allowance.left);
  let quote = '';
  let at = open;
  for (; at < limit; at++) {
    const character = text[at] as string;
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (character === '(' || character === '[') {
      expected.push(CLOSING[character] as string);
    } else if (character === ')' || character === ']') {
      if (expected.pop() !== character) break;
      if (expected.length === 0) return at + 1;
    }
  }
  allowance.left -= at - open;
  return -1;
}
