import { ITEM_METHODS } from '../syntax/parse.ts';
import { findSpans } from '../syntax/spans.ts';

/** Where in an expression the cursor is. */
export type CursorPlace =
  | { readonly kind: 'outside' }
  | { readonly kind: 'name'; readonly from: number; readonly dollar: boolean; readonly item: string | null }
  | {
      readonly kind: 'member';
      readonly from: number;
      readonly receiver: string;
      readonly item: string | null;
    };

const WORD = /\$?[A-Za-z0-9_]*$/;

/**
 * Finds what is being typed before the cursor. `item` is the expression whose elements a surrounding
 * `map("…")` or its like walks over.
 */
export function findCursorPlace(before: string, isExpression: boolean): CursorPlace {
  const word = WORD.exec(before)?.[0] ?? '';
  const from = before.length - word.length;
  const item = surroundingList(before);
  if (before[from - 1] === '.' && !word.startsWith('$')) {
    const start = chainStart(before, from - 1);
    const receiver = before.slice(start, from - 1);
    const reachable = receiver.startsWith('$') || item !== null || isExpression || isInsideGroup(before);
    return receiver !== '' && reachable ? { kind: 'member', from, receiver, item } : { kind: 'outside' };
  }
  if (word.startsWith('$')) return { kind: 'name', from, dollar: true, item };
  if (item === null && !isInsideGroup(before) && !isExpression) return { kind: 'outside' };
  return { kind: 'name', from, dollar: false, item };
}

/** True inside brackets of a span that are not closed yet. */
function isInsideGroup(before: string): boolean {
  return openSpanStart(before) !== -1;
}

function openSpanStart(before: string): number {
  const open = findSpans(before).find((span) => before[span.end] === '(' || before[span.end] === '[');
  return open?.start ?? -1;
}

/** Start of the chain of names, members and groups that ends at `end`. */
function chainStart(text: string, end: number): number {
  let at = end;
  while (at > 0) {
    const character = text[at - 1] as string;
    if (character === ')' || character === ']') {
      const open = findOpening(text, at - 1);
      if (open === -1) return at;
      at = open;
    } else if (/[A-Za-z0-9_.$]/.test(character)) {
      at--;
      if (character === '$') return at;
    } else {
      return at;
    }
  }
  return at;
}

function findOpening(text: string, close: number): number {
  let depth = 0;
  let quote = '';
  for (let at = close; at >= 0; at--) {
    const character = text[at] as string;
    if (quote !== '') {
      if (character === quote && text[at - 1] !== '\\') quote = '';
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (character === ')' || character === ']') {
      depth++;
    } else if (character === '(' || character === '[') {
      depth--;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** The receiver of the method whose quoted item expression the cursor is in. */
function surroundingList(before: string): string | null {
  const start = openSpanStart(before);
  if (start === -1) return null;
  let quote = '';
  let quoteStart = -1;
  for (let at = start; at < before.length; at++) {
    const character = before[at] as string;
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") {
      quote = character;
      quoteStart = at;
    }
  }
  if (quote === '') return null;
  const call = /\.([A-Za-z_]+)\(\s*$/.exec(before.slice(0, quoteStart));
  if (call === null || !ITEM_METHODS.has(call[1] ?? '')) return null;
  return before.slice(chainStart(before, call.index), call.index);
}
