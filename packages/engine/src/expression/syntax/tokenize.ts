import { SyntaxFailure } from './ast.ts';

export type Token = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'name'; readonly text: string; readonly dollar: boolean }
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string; readonly value: number }
  | { readonly kind: 'string'; readonly text: string; readonly value: string; readonly offsets: Offsets }
  | { readonly kind: 'operator'; readonly text: string }
  | { readonly kind: 'end'; readonly text: '' }
);

/** From an index in a decoded string to the index in the text around it. */
export type Offsets = (index: number) => number;

const WORDS = new Set(['and', 'or', 'not', 'in', 'if', 'else', 'for']);
const SPACE = /[ \t\r\n\u00a0]*/y;
const NAME = /\$?[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const MEMBER = /[A-Za-z0-9_]+/y;
const OPERATOR = /===|!==|\*\*|\/\/|&&|\|\||\?\?|==|!=|<=|>=|[-+*/%<>=!?:,.()[\]{}]/y;
const ESCAPES: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '/': '/',
};

/** Splits an expression into tokens. Throws SyntaxFailure. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at = advance(SPACE, text, at);
    if (at >= text.length) break;
    const token = readToken(text, at, tokens.at(-1));
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: 'end', text: '', start: text.length, end: text.length });
  return tokens;
}

function readToken(text: string, start: number, previous: Token | undefined): Token {
  if (previous?.kind === 'operator' && previous.text === '.') {
    const end = advance(MEMBER, text, start);
    if (end > start) return { kind: 'name', text: text.slice(start, end), dollar: false, start, end };
  }
  if (text[start] === '.' && isOperand(previous)) {
    return { kind: 'operator', text: '.', start, end: start + 1 };
  }
  const first = text[start] as string;
  if (first === '"' || first === "'") return readString(text, start);
  const nameEnd = advance(NAME, text, start);
  if (nameEnd > start) return nameToken(text, start, nameEnd);
  const numberEnd = advance(NUMBER, text, start);
  if (numberEnd > start) {
    const digits = text.slice(start, numberEnd);
    return { kind: 'number', text: digits, value: Number(digits), start, end: numberEnd };
  }
  const end = advance(OPERATOR, text, start);
  if (end > start) return { kind: 'operator', text: text.slice(start, end), start, end };
  throw failure(start, start + 1, `Unexpected character ${JSON.stringify(first)}.`);
}

/** Behind an operand a dot reads a member, also one that is a number: `$list.0`. */
function isOperand(token: Token | undefined): boolean {
  if (token === undefined || token.kind === 'word' || token.kind === 'end') return false;
  return token.kind !== 'operator' || token.text === ')' || token.text === ']' || token.text === '}';
}

function nameToken(text: string, start: number, end: number): Token {
  const dollar = text[start] === '$';
  const name = text.slice(dollar ? start + 1 : start, end);
  if (dollar && name.startsWith('_')) {
    throw failure(start, end, 'A reference is "$" followed by a letter.');
  }
  // `$in.text` asks for the node "in"; only `$not` also begins an expression.
  const isWord = WORDS.has(name) && (!dollar || (name === 'not' && text[end] !== '.'));
  if (isWord) return { kind: 'word', text: name, start, end };
  return { kind: 'name', text: name, dollar, start, end };
}

function readString(text: string, start: number): Token {
  const quote = text[start] as string;
  const simpleEnd = simpleStringEnd(text, start, quote);
  if (simpleEnd !== -1) {
    const value = text.slice(start + 1, simpleEnd - 1);
    const offsets: Offsets = (index) => start + 1 + index;
    return { kind: 'string', text: text.slice(start, simpleEnd), value, offsets, start, end: simpleEnd };
  }
  return readEscapedString(text, start, quote);
}

/** End of a string without escapes, or -1. */
function simpleStringEnd(text: string, start: number, quote: string): number {
  const close = text.indexOf(quote, start + 1);
  if (close === -1) return -1;
  const escape = text.indexOf('\\', start + 1);
  return escape !== -1 && escape < close ? -1 : close + 1;
}

function readEscapedString(text: string, start: number, quote: string): Token {
  const map: number[] = [];
  let value = '';
  let at = start + 1;
  while (at < text.length && text[at] !== quote) {
    const [decoded, length] = text[at] === '\\' ? readEscape(text, at) : [text[at] as string, 1];
    for (let unit = 0; unit < decoded.length; unit++) map.push(at + Math.min(unit, length - 1));
    value += decoded;
    at += length;
  }
  if (at >= text.length) throw failure(start, text.length, `This text has no closing ${quote}.`);
  map.push(at);
  const offsets: Offsets = (index) => map[Math.min(index, map.length - 1)] as number;
  return { kind: 'string', text: text.slice(start, at + 1), value, offsets, start, end: at + 1 };
}

/** An unknown escape keeps its backslash, so that "\d+" is a usable pattern. */
function readEscape(text: string, at: number): [decoded: string, length: number] {
  const code = text[at + 1];
  if (code === undefined) return ['\\', 1];
  const known = ESCAPES[code];
  if (known !== undefined) return [known, 2];
  const digits = code === 'u' ? 4 : code === 'x' ? 2 : 0;
  const hex = text.slice(at + 2, at + 2 + digits);
  if (digits > 0 && hex.length === digits && /^[0-9a-fA-F]+$/.test(hex)) {
    return [String.fromCharCode(Number.parseInt(hex, 16)), 2 + digits];
  }
  return [`\\${code}`, 2];
}

function advance(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function failure(start: number, end: number, message: string): SyntaxFailure {
  return new SyntaxFailure({ code: 'syntax', message, start, end });
}
