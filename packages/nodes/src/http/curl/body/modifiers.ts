import type { Part, Word } from '../../../kit/text/shell-words.ts';

interface Modifiers {
  readonly content: Word;
  /** In the order in which they are written. */
  readonly modifiers: readonly { readonly key: string; readonly word: Word }[];
}

/** The modifiers that curl lets follow the content of a field: `;type=text/csv; charset=utf-8;filename=a.csv`. */
const START = /;(type|filename)=/y;
/** Content, or what a modifier is set to: all of it in quotes, or everything before the next modifier. */
const QUOTED = /"((?:[^"\\]|\\.)*)"(?=;(?:type|filename)=|$)/sy;
const PLAIN = /.*?(?=;(?:type|filename)=|$)/sy;
const ESCAPED = /\\(["\\])/g;
/** An expression in the text that is searched, where only written text can begin a modifier or a quote. */
const HOLE = '\0';

/** Reads the argument of `-F` behind its name; the value of an expression is content, or a part of the modifier that it is in. */
export function splitModifiers(word: Word): Modifiers {
  const text = word.map((part) => (part.kind === 'literal' ? part.text : HOLE)).join('');
  let at = 0;
  const next = (): Word => {
    QUOTED.lastIndex = at;
    const start = at;
    if (QUOTED.test(text)) {
      at = QUOTED.lastIndex;
      return unescaped(slice(word, start + 1, at - 1));
    }
    PLAIN.lastIndex = at;
    PLAIN.test(text);
    at = PLAIN.lastIndex;
    return slice(word, start, at);
  };
  const content = next();
  const modifiers: { key: string; word: Word }[] = [];
  for (let found = startAt(text, at); found; found = startAt(text, at)) {
    at += found[0].length;
    modifiers.push({ key: found[1] ?? '', word: next() });
  }
  return { content, modifiers };
}

function startAt(text: string, at: number): RegExpExecArray | null {
  START.lastIndex = at;
  return START.exec(text);
}

/** The part of a word between two places of its text, in which an expression takes one. */
function slice(word: Word, from: number, to: number): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const part of word) {
    const width = part.kind === 'literal' ? part.text.length : HOLE.length;
    const [start, end] = [Math.max(from - at, 0), Math.min(to - at, width)];
    if (start < end)
      parts.push(part.kind === 'literal' ? { kind: 'literal', text: part.text.slice(start, end) } : part);
    at += width;
  }
  return parts;
}

const unescaped = (word: readonly Part[]): Part[] =>
  word.map((part) => (part.kind === 'literal' ? { ...part, text: part.text.replace(ESCAPED, '$1') } : part));

/** Whether a text would be read otherwise than it is written, unless it is in quotes. */
export const needsQuotes = (text: string): boolean => /^["@<]|;(?:type|filename)=/.test(text);
