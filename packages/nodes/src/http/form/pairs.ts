import { literalText, splitAt, type Word } from '../../kit/text/shell-words.ts';
import { wellFormed } from '../../kit/text/well-formed.ts';
import type { Pair } from './curl-form.ts';
import { changeLiterals, joined, parseParts, toFieldText } from './text.ts';

/** The pairs of `a=1&b=2`. */
export function readPairs(word: Word): Pair[] {
  const pairs: Pair[] = [];
  let rest: Word | undefined = word;
  while (rest !== undefined) {
    const split: [Word, Word] | undefined = splitAt(rest, '&');
    const piece: Word = split?.[0] ?? rest;
    rest = split?.[1];
    if (piece.some((part) => part.text !== '')) pairs.push(readPair(piece));
  }
  return pairs.filter((pair) => !isEmptyPair(pair));
}

/** Only a text without expressions can have been encoded as a whole; values of expressions are sent as they are. */
function readPair(piece: Word): Pair {
  const [name, value] = splitAt(piece, '=') ?? [piece, []];
  const written = toFieldText(piece);
  const literal = literalText(piece);
  const decoded =
    literal === undefined || literal.includes('+')
      ? undefined
      : decodedPair(literalText(name) ?? '', literalText(value) ?? '');
  const pair = decoded ?? { name: toFieldText(name), value: toFieldText(value), raw: true };
  return inlineText(pair) === written ? pair : { ...pair, written };
}

function decodedPair(name: string, value: string): Pair | undefined {
  const pair = { name: decode(name), value: decode(value), raw: false };
  if (pair.name === undefined || pair.value === undefined) return undefined;
  // A decoded `$name` would be an expression in the field.
  if (hasExpression(pair.name) || hasExpression(pair.value)) return undefined;
  return { ...pair, name: pair.name, value: pair.value };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const encode = (text: string): string =>
  encodeURIComponent(wellFormed(text)).replaceAll("'", '%27').replaceAll('(', '%28').replaceAll(')', '%29');

const hasExpression = (text: string): boolean => parseParts(text).some(({ kind }) => kind === 'expression');

/** Whether a pair can be written into an address or into one data option, where values of expressions are not encoded. */
export const isInline = (pair: Pair): boolean =>
  pair.raw || !(hasExpression(pair.name) || hasExpression(pair.value));

/** Names and values in which a separator would begin something else. */
const withoutSeparators = (text: string, separators: RegExp): string =>
  joined(
    changeLiterals(parseParts(text), (literal) =>
      literal.replace(separators, (sign) => encodeURIComponent(sign)),
    ),
  );

/** `name=value` as part of an address. */
export function inlineText({ name, value, raw, written }: Pair): string {
  if (written !== undefined) return written;
  return raw
    ? `${withoutSeparators(name, /[&#=]/g)}=${withoutSeparators(value, /[&#]/g)}`
    : `${encode(name)}=${encode(value)}`;
}

/** `name=value` of an option that encodes what is behind the `=`. */
export const encodedText = ({ name, value }: Pair): string =>
  `${joined(changeLiterals(parseParts(name), encode))}=${value}`;

/** The pair of such an option; undefined when its name means something else once it is decoded. */
export function readEncoded(word: Word): Pair | undefined {
  const [name, value] = splitAt(word, '=') ?? [[], word];
  if (
    name.some(({ kind, text }) => kind === 'literal' && (text.includes('+') || decode(text) === undefined))
  ) {
    return undefined;
  }
  const decoded = toFieldText(changeLiterals(name, (text) => decode(text) ?? text));
  return { name: decoded, value: toFieldText(value), raw: false };
}

export const isEmptyPair = ({ name, value }: Pair): boolean => name === '' && value === '';
