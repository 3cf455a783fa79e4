import { findSpans, NodeFailure } from '@millrace/engine';
import { refusedParam } from '../refused-param.ts';

/** Literal text, or a `$span` that is evaluated later, so that its value can never end an argument. */
export interface Part {
  readonly kind: 'literal' | 'expression';
  readonly text: string;
}

/** One shell argument. */
export type Word = readonly Part[];

/** A curl text that cannot be understood; retrying would not change that. */
export function curlFailure(message: string): NodeFailure {
  return refusedParam('curl', message);
}

interface Reader {
  readonly text: string;
  /** End of the `$span` that starts at an index. */
  readonly spanEnds: ReadonlyMap<number, number>;
  at: number;
  parts: Part[];
  literal: string;
  /** A quoted empty argument is a word too. */
  isOpen: boolean;
  /** In quoted JSON, an apostrophe within a JSON string does not end the quote. */
  readonly isLenient: boolean;
}

const DOUBLE_QUOTED_ESCAPES = '"\\$`';

/**
 * Splits a command as a POSIX shell does: quotes, escapes, continuation lines, and `$'…'`. Where a shell would
 * expand variables, `$spans` become expression parts; they are recognised inside single quotes too, and quotes
 * within a span belong to it.
 */
export function splitWords(text: string, { literal = false } = {}): Word[] {
  const spans = literal ? [] : findSpans(text);
  const spanEnds = new Map(spans.map(({ start, end }) => [start, end]));
  try {
    return readWords({ text, spanEnds, at: 0, parts: [], literal: '', isOpen: false, isLenient: false });
  } catch (error) {
    // People write -d '{"text": "it's"}', which no shell accepts and which can mean one thing only.
    const lenient = { text, spanEnds, at: 0, parts: [], literal: '', isOpen: false, isLenient: true };
    return wordsOrNull(lenient) ?? rethrow(error);
  }
}

function wordsOrNull(reader: Reader): Word[] | null {
  try {
    return readWords(reader);
  } catch (error) {
    if (error instanceof NodeFailure) return null;
    throw error;
  }
}

function rethrow(error: unknown): never {
  throw error;
}

function readWords(reader: Reader): Word[] {
  const { text } = reader;
  const words: Word[] = [];
  while (reader.at < text.length) {
    const character = text[reader.at] as string;
    if (/\s/.test(character)) {
      closeWord(reader, words);
      reader.at++;
    } else {
      readPiece(reader, character);
    }
  }
  closeWord(reader, words);
  return words;
}

function readPiece(reader: Reader, character: string): void {
  const next = reader.text[reader.at + 1];
  if (character === '\\') return readEscape(reader);
  if (character === "'") return readQuoted(reader, "'");
  if (character === '"') return readQuoted(reader, '"');
  if (character === '$' && next === "'") return readAnsiQuoted(reader);
  if (character === '$' && next === '"') reader.at++;
  else readCharacter(reader);
}

function readCharacter(reader: Reader): void {
  const spanEnd = reader.spanEnds.get(reader.at);
  reader.isOpen = true;
  if (spanEnd === undefined) {
    reader.literal += reader.text[reader.at];
    reader.at++;
    return;
  }
  closeLiteral(reader);
  reader.parts.push({ kind: 'expression', text: reader.text.slice(reader.at, spanEnd) });
  reader.at = spanEnd;
}

function readEscape(reader: Reader): void {
  const lineEnd = /^\\\r?\n/.exec(reader.text.slice(reader.at, reader.at + 3));
  if (lineEnd) {
    reader.at += lineEnd[0].length;
    return;
  }
  addLiteral(reader, reader.text[reader.at + 1] ?? '', 2);
}

function readQuoted(reader: Reader, quote: string): void {
  const start = reader.at;
  reader.isOpen = true;
  reader.at++;
  const isJson = reader.isLenient && quote === "'" && /^\s*[{[]/.test(reader.text.slice(reader.at));
  let inString = false;
  while (reader.at < reader.text.length) {
    const character = reader.text[reader.at];
    if (character === quote && !inString) {
      reader.at++;
      return;
    }
    if (isJson && character === '"' && !isEscaped(reader)) inString = !inString;
    if (quote === '"' && character === '\\') readEscapeInDoubleQuotes(reader);
    else readCharacter(reader);
  }
  throw curlFailure(`the quote ${quote} at character ${start + 1} is never closed`);
}

/** Whether an odd number of backslashes is before the character. */
function isEscaped({ text, at }: Reader): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}

function readEscapeInDoubleQuotes(reader: Reader): void {
  const next = reader.text[reader.at + 1] ?? '';
  if (next === '\n') reader.at += 2;
  else if (next !== '' && DOUBLE_QUOTED_ESCAPES.includes(next)) addLiteral(reader, next, 2);
  else addLiteral(reader, '\\', 1);
}

const ANSI_ESCAPES: Record<string, string> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
};
const ANSI_NUMBER = /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3}))/y;

/** `$'…'` of bash, which browsers write when they copy a request as cURL. */
function readAnsiQuoted(reader: Reader): void {
  const start = reader.at;
  reader.isOpen = true;
  reader.at += 2;
  while (reader.at < reader.text.length) {
    const character = reader.text[reader.at];
    if (character === "'") {
      reader.at++;
      return;
    }
    if (character === '\\') readAnsiEscape(reader);
    else readCharacter(reader);
  }
  throw curlFailure(`the quote $' at character ${start + 1} is never closed`);
}

function readAnsiEscape(reader: Reader): void {
  ANSI_NUMBER.lastIndex = reader.at;
  const numeric = ANSI_NUMBER.exec(reader.text);
  if (!numeric) {
    const next = reader.text[reader.at + 1] ?? '';
    addLiteral(reader, ANSI_ESCAPES[next] ?? next, 2);
    return;
  }
  const [whole, byte, short, long, octal] = numeric;
  const isHex = octal === undefined;
  const code = Number.parseInt(isHex ? (byte ?? short ?? long ?? '0') : octal, isHex ? 16 : 8);
  addLiteral(reader, code <= 0x10ffff ? decodeCodePoint(code) : '\ufffd', whole.length);
}

/** Two `\u` escapes may spell one surrogate pair, so a single half is passed on as it is. */
function decodeCodePoint(code: number): string {
  return code <= 0xffff ? String.fromCharCode(code) : String.fromCodePoint(code);
}

function addLiteral(reader: Reader, text: string, width: number): void {
  reader.isOpen = true;
  reader.literal += text;
  reader.at += width;
}

function closeLiteral(reader: Reader): void {
  if (reader.literal === '') return;
  reader.parts.push({ kind: 'literal', text: reader.literal });
  reader.literal = '';
}

function closeWord(reader: Reader, words: Word[]): void {
  if (!reader.isOpen) return;
  closeLiteral(reader);
  words.push(reader.parts);
  reader.parts = [];
  reader.isOpen = false;
}

/** The text of a word without expressions; undefined when it has some. */
export function literalText(word: Word): string | undefined {
  return word.every((part) => part.kind === 'literal') ? word.map((part) => part.text).join('') : undefined;
}

/** Text before the first expression. */
export function literalStart(word: Word): string {
  const [first] = word;
  return first?.kind === 'literal' ? first.text : '';
}

/** The word without its first `length` characters, which must be literal. */
export function withoutStart(word: Word, length: number): Word {
  const [first, ...rest] = word;
  if (first?.kind !== 'literal') return word;
  const text = first.text.slice(length);
  return text === '' ? rest : [{ kind: 'literal', text }, ...rest];
}

/** Splits at the first literal occurrence of a character; undefined when only values could hold it. */
export function splitAt(word: Word, separator: string): [before: Word, after: Word] | undefined {
  for (const [index, part] of word.entries()) {
    const at = part.kind === 'literal' ? part.text.indexOf(separator) : -1;
    if (at < 0) continue;
    const before: Part[] = [...word.slice(0, index), { kind: 'literal', text: part.text.slice(0, at) }];
    const after: Part[] = [{ kind: 'literal', text: part.text.slice(at + 1) }, ...word.slice(index + 1)];
    return [before, after];
  }
  return undefined;
}
