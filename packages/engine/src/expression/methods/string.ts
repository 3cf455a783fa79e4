import { parseExactJson } from '../../exact-json.ts';
import {
  type Context,
  produceList,
  produceText,
  spend,
  spendCharacters,
  spendText,
} from '../evaluate/context.ts';
import { indexByName, type MethodDefinition } from '../functions/definition.ts';
import { ExpressionError } from '../limits.ts';
import { base64Decode, base64Encode } from '../values/base64.ts';
import { HASH_NAMES, hashHex } from '../values/hash.ts';
import { findAllMatches, replacePattern } from '../values/pattern.ts';
import { adopt } from '../values/settle.ts';
import { jsonText } from '../values/text.ts';
import { codePointIndex, countCodePoints, sliceText, splitCharacters } from '../values/unicode.ts';
import { decodeUrl, encodeUrl } from '../values/url.ts';

type StringMethod = MethodDefinition<string>;
type Change = (text: string) => string;

/** A method whose result is about as long as its text. */
function change(name: string, doc: string, apply: Change): StringMethod {
  return {
    signature: `${name}()`,
    doc,
    example: `$input.text.${name}()`,
    call: (context, self) => {
      spendCharacters(context, self);
      return produceText(context, apply(self));
    },
  };
}

/** A method that asks whether, or where, another text occurs. */
function search<R>(name: string, doc: string, find: (text: string, part: string) => R): StringMethod {
  return {
    signature: `${name}(text)`,
    doc,
    example: `$input.text.${name}("a")`,
    call: (context, self, [part]) => {
      if (typeof part !== 'string') return null;
      spendCharacters(context, self);
      return find(self, part);
    },
  };
}

function findPlace(context: Context, text: string, [part, from = 0]: readonly unknown[]): unknown {
  if (typeof part !== 'string' || !Number.isSafeInteger(from)) return null;
  spendCharacters(context, text);
  const skipped = sliceText(text, 0, Math.max(0, Number(from))).length;
  return codePointIndex(text, text.indexOf(part, skipped));
}

export function capitalize(text: string): string {
  return sliceText(text, 0, 1).toUpperCase() + sliceText(text, 1, text.length).toLowerCase();
}

/** Every run of letters starts with upper case; the rest is lower case. */
export function titleCase(text: string): string {
  return text.replace(/\p{L}+/gu, capitalize);
}

/** Replaces all occurrences, after checking how long the result will be. */
export function replaceAllIn(context: Context, text: string, values: readonly unknown[]): string | null {
  const [wanted, replacement = ''] = values;
  if (typeof wanted !== 'string' || typeof replacement !== 'string') return null;
  spendText(context, text.length);
  const count = wanted === '' ? text.length + 1 : text.split(wanted).length - 1;
  spend(context, count);
  spendText(context, text.length + count * (replacement.length - wanted.length));
  if (wanted === '') spend(context, text.length * 2);
  if (wanted === '')
    return (
      replacement +
      splitCharacters(text)
        .map((character) => character + replacement)
        .join('')
    );
  return text.split(wanted).join(replacement);
}

/** Splits at a separator, at white space without one, and into characters at an empty one. */
export function splitText(context: Context, text: string, separator: unknown): unknown[] | null {
  spendText(context, text.length);
  if (separator === undefined || separator === null) {
    const words = text.trim();
    return words === '' ? [] : produceList(context, words.split(/\s+/));
  }
  if (typeof separator !== 'string') return null;
  if (separator === '') spend(context, text.length);
  return produceList(context, separator === '' ? splitCharacters(text) : text.split(separator));
}

export function replacePatternIn(context: Context, text: string, values: readonly unknown[]): string | null {
  const [pattern, replacement = ''] = values;
  if (typeof pattern !== 'string' || typeof replacement !== 'string') return null;
  return replacePattern(context, text, { pattern, replacement });
}

/** Throws ExpressionError `argument` for a hash function that is not known. */
export function hashText(context: Context, text: string, [algorithm]: readonly unknown[] = []): string {
  spend(context, 300 + text.length * 2);
  const hash = hashHex(text, algorithm ?? 'md5');
  if (hash === null) throw new ExpressionError('argument', `hash() knows ${HASH_NAMES.join(', ')}.`);
  return hash;
}

/** Fills a text up to a number of characters, in front of it or behind. */
function pad(context: Context, text: string, values: readonly unknown[]): string | null {
  const [length, fill = ' '] = values;
  if (typeof length !== 'number' || typeof fill !== 'string') return null;
  spendCharacters(context, text);
  const missing = Math.trunc(length) - countCodePoints(text);
  if (!(missing > 0) || fill === '') return '';
  spendText(context, missing * fill.length);
  const whole = Math.floor(missing / countCodePoints(fill));
  return fill.repeat(whole) + sliceText(fill, 0, missing - whole * countCodePoints(fill));
}

/** Throws ExpressionError `argument` for a count below zero. */
function repeat(context: Context, text: string, [count]: readonly unknown[]): string | null {
  if (typeof count !== 'number') return null;
  const times = Math.trunc(count);
  if (times < 0) throw new ExpressionError('argument', 'repeat() needs a number from 0.');
  spendText(context, text.length * times);
  return text.repeat(times);
}

const NORMAL_FORMS = new Set(['NFC', 'NFD', 'NFKC', 'NFKD']);

/** Throws ExpressionError `argument` for a form that Unicode does not have. */
function normalize(context: Context, text: string, [form = 'NFC']: readonly unknown[]): string {
  if (typeof form !== 'string' || !NORMAL_FORMS.has(form))
    throw new ExpressionError('argument', `normalize() knows ${[...NORMAL_FORMS].join(', ')}.`);
  spendText(context, text.length);
  spend(context, text.length);
  return produceText(context, text.normalize(form));
}

function findPatternIn(context: Context, text: string, [pattern]: readonly unknown[]): unknown[] | null {
  return typeof pattern === 'string' ? produceList(context, findAllMatches(context, text, pattern)) : null;
}

/** Like a slice: positions below 0 count from the end, and an end before its start gives an empty text. */
function substring(context: Context, text: string, values: readonly unknown[]): string | null {
  spendCharacters(context, text);
  const length = countCodePoints(text);
  const from = clampPosition(values[0] ?? 0, length);
  const to = clampPosition(values[1] ?? length, length);
  if (from === null || to === null) return null;
  return produceText(context, sliceText(text, from, Math.max(from, to)));
}

function substr(context: Context, text: string, values: readonly unknown[]): string | null {
  spendCharacters(context, text);
  const length = countCodePoints(text);
  const [start = 0, count = length] = values;
  if (typeof start !== 'number' || typeof count !== 'number') return null;
  const from = start < 0 ? Math.max(0, length + Math.trunc(start)) : Math.trunc(start);
  return produceText(context, sliceText(text, from, Math.max(from, from + Math.trunc(count))));
}

function clampPosition(value: unknown, length: number): number | null {
  if (typeof value !== 'number') return null;
  const position = Math.trunc(value);
  return Math.max(0, Math.min(length, position < 0 ? length + position : position));
}

/** Reads JSON; a text that is none is taken as the inside of a JSON string; else it stays as it is. */
function unescape(context: Context, text: string): unknown {
  spendText(context, text.length * 4);
  const parsed = parseJson(text) ?? parseJson(`"${text}"`);
  if (parsed === null) return text;
  return adoptParsed(context, parsed.value);
}

function parseJson(text: string): { value: unknown } | null {
  try {
    return { value: parseExactJson(text) };
  } catch {
    return null;
  }
}

/** Text of base64. Throws ExpressionError `argument` when it is none. */
export function decodeBase64(context: Context, text: string): string {
  spend(context, text.length);
  const decoded = base64Decode(text);
  if (decoded === null) throw new ExpressionError('argument', 'base64Decode() needs base64 of UTF-8 text.');
  return decoded;
}

/** The value of a JSON text. Throws ExpressionError `argument` when it is none. */
export function valueOfJson(context: Context, text: string): unknown {
  spendText(context, text.length * 4);
  const parsed = parseJson(text);
  if (parsed === null) throw new ExpressionError('argument', 'toJson() needs valid JSON.');
  return adoptParsed(context, parsed.value);
}

function adoptParsed(context: Context, value: unknown): unknown {
  if (typeof value !== 'object') return value;
  context.built = true;
  return adopt(value);
}

export function encodeBase64(context: Context, text: string): string {
  spend(context, text.length);
  return produceText(context, base64Encode(text));
}

export const stringMethods: Readonly<Record<string, StringMethod>> = {
  length: {
    signature: 'length',
    doc: 'Number of characters.',
    example: '$input.text.length',
    property: true,
    call: (_, self) => countCodePoints(self),
  },
  upper: {
    ...change('upper', 'Upper-case text.', (text) => text.toUpperCase()),
    aliases: ['toUpperCase', 'to_upper_case'],
  },
  lower: {
    ...change('lower', 'Lower-case text.', (text) => text.toLowerCase()),
    aliases: ['toLowerCase', 'to_lower_case'],
  },
  strip: {
    ...change('strip', 'Text without white space at both ends.', (text) => text.trim()),
    aliases: ['trim'],
  },
  capitalize: change('capitalize', 'First letter upper-case, the rest lower-case.', capitalize),
  title: change('title', 'Every word with an upper-case first letter.', titleCase),
  reverse: change('reverse', 'Characters in reverse order.', (text) =>
    splitCharacters(text).reverse().join(''),
  ),
  charAt: {
    signature: 'charAt(index)',
    doc: 'One character, or an empty text outside.',
    example: '$input.text.charAt(0)',
    call: (context, self, [index]) => {
      if (typeof index !== 'number') return null;
      spendCharacters(context, self);
      const position = Math.trunc(index);
      return position < 0 ? '' : sliceText(self, position, position + 1);
    },
  },
  substring: {
    signature: 'substring(from, to?)',
    doc: 'The part from one position up to, but without, another. Positions below 0 count from the end.',
    example: '$input.text.substring(0, 10)',
    call: substring,
  },
  substr: {
    signature: 'substr(from, count?)',
    doc: 'A number of characters from a position, which counts from the end when negative.',
    example: '$input.text.substr(0, 10)',
    call: substr,
  },
  replace: {
    signature: 'replace(text, by)',
    doc: 'Replaces all occurrences of a text.',
    example: '$input.text.replace("a", "b")',
    aliases: ['replaceAll', 'replace_all'],
    call: replaceAllIn,
  },
  regexReplace: {
    signature: 'regexReplace(pattern, by)',
    doc: 'Replaces all matches of a regular expression (RE2); \\1 or $1 stands for a group.',
    example: '$input.text.regexReplace("[0-9]+", "#")',
    call: replacePatternIn,
  },
  regexFindAll: {
    signature: 'regexFindAll(pattern)',
    doc: 'List of all matches of a regular expression (RE2).',
    example: '$input.text.regexFindAll("[a-z]+")',
    call: findPatternIn,
  },
  padStart: {
    signature: 'padStart(length, fill?)',
    doc: 'Fills the front up to a number of characters, with spaces or another text.',
    example: '$input.decimal.padStart(6, "0")',
    call: (context, self, values) => {
      const padding = pad(context, self, values);
      return padding === null ? null : produceText(context, padding + self);
    },
  },
  padEnd: {
    signature: 'padEnd(length, fill?)',
    doc: 'Fills the end up to a number of characters, with spaces or another text.',
    example: '$input.decimal.padEnd(6, "0")',
    call: (context, self, values) => {
      const padding = pad(context, self, values);
      return padding === null ? null : produceText(context, self + padding);
    },
  },
  repeat: {
    signature: 'repeat(count)',
    doc: 'The text several times.',
    example: '$input.first.repeat(3)',
    call: repeat,
  },
  startswith: {
    ...search('startswith', 'True when the text starts with another.', (text, part) => text.startsWith(part)),
    aliases: ['startsWith', 'starts_with'],
  },
  endswith: {
    ...search('endswith', 'True when the text ends with another.', (text, part) => text.endsWith(part)),
    aliases: ['endsWith', 'ends_with'],
  },
  contains: {
    ...search('contains', 'True when another text occurs in it.', (text, part) => text.includes(part)),
    aliases: ['includes'],
  },
  indexOf: {
    signature: 'indexOf(text, from?)',
    doc: 'Position of the first occurrence at or behind a position, or -1.',
    example: '$input.text.indexOf("a")',
    call: findPlace,
  },
  split: {
    signature: 'split(separator?)',
    doc: 'List of the parts between separators, or between single spaces.',
    example: '$input.text.split(",")',
    call: (context, self, [separator = ' ']) => splitText(context, self, separator),
  },
  hash: {
    signature: 'hash(algorithm?)',
    doc: 'Hexadecimal text of a hash: md5, sha1, sha224, sha256, sha384 or sha512; md5 by default.',
    example: '$input.text.hash()',
    call: hashText,
  },
  normalize: {
    signature: 'normalize(form?)',
    doc: 'The same characters in one spelling of Unicode: NFC, NFD, NFKC or NFKD; NFC by default.',
    example: '$input.text.normalize()',
    call: normalize,
  },
  urlEncode: change('urlEncode', 'Encodes all characters that are reserved in an address.', encodeUrl),
  urlDecode: {
    ...change('urlDecode', 'Decodes %-sequences.', decodeUrl),
    example: '$input.address.urlDecode()',
  },
  escape: change('escape', 'JSON text with its quotes.', jsonText),
  unescape: {
    signature: 'unescape()',
    doc: 'Reads JSON text, or undoes its escapes.',
    example: '$input.escaped.unescape()',
    call: unescape,
  },
  base64Encode: {
    signature: 'base64Encode()',
    doc: 'Base64 of the UTF-8 bytes.',
    example: '$input.first.base64Encode()',
    call: encodeBase64,
  },
  base64Decode: {
    signature: 'base64Decode()',
    doc: 'Text of base64; fails the node when it is none.',
    example: '$input.encoded.base64Decode()',
    call: decodeBase64,
  },
  toJson: {
    signature: 'toJson()',
    doc: 'The value that a JSON text stands for; fails the node when it stands for none.',
    example: '$input.json.toJson()',
    call: valueOfJson,
  },
  toString: change('toString', 'The text itself.', (text) => text),
};

export const stringMethodsByName = indexByName(stringMethods);
