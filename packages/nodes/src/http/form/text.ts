import { findSpans } from '@millrace/engine';
import type { Part, Word } from '../../kit/text/shell-words.ts';
import { NotShown } from './curl-form.ts';

/** A template text as the parts that a command would have. */
export function parseParts(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  const literal = (end: number) => {
    if (end > at) parts.push({ kind: 'literal', text: text.slice(at, end) });
  };
  for (const span of findSpans(text)) {
    literal(span.start);
    parts.push({ kind: 'expression', text: span.text });
    at = span.end;
  }
  literal(text.length);
  return parts;
}

/** Without empty parts, and with literal parts in one where they meet. */
function merged(word: Word): Part[] {
  const parts: Part[] = [];
  for (const part of word) {
    const last = parts.at(-1);
    if (part.text === '') continue;
    if (part.kind === 'literal' && last?.kind === 'literal') {
      parts[parts.length - 1] = { kind: 'literal', text: last.text + part.text };
    } else {
      parts.push(part);
    }
  }
  return parts;
}

/** The text that a field shows for an argument; refuses one that the field would read otherwise. */
export function toFieldText(word: Word): string {
  const parts = merged(word);
  const text = joined(parts);
  const again = parseParts(text);
  const isSame =
    again.length === parts.length &&
    again.every(({ kind, text: own }, index) => parts[index]?.kind === kind && parts[index].text === own);
  if (!isSame) throw new NotShown({ kind: 'dollar' });
  return text;
}

export const joined = (word: Word): string => word.map((part) => part.text).join('');

const NEEDS_NO_QUOTES = /^[\w@%+=:,./-]+$/;
/** Would continue the reference before it, once other quotes close its bracket. */
const OPENS_GROUP = /^[([]/;

/** A template text as one argument of a command. */
export function quote(text: string): string {
  if (NEEDS_NO_QUOTES.test(text)) return text;
  const parts = parseParts(text);
  const quoted = parts.map((part, index) => {
    if (part.kind === 'expression') return part.text;
    const gap = parts[index - 1]?.kind === 'expression' && OPENS_GROUP.test(part.text) ? "''" : '';
    return gap + part.text.replaceAll("'", String.raw`'\''`);
  });
  return `'${quoted.join('')}'`;
}

/** The literal parts of a text changed, its expressions left as they are. */
export const changeLiterals = (parts: readonly Part[], change: (text: string) => string): Part[] =>
  parts.map((part) => (part.kind === 'literal' ? { kind: 'literal', text: change(part.text) } : part));
