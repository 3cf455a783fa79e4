import { type Code, chain, enclosed, joined, textConstant, Untranslatable } from '../value.ts';
import { findMacro, isEnglish, requireLatinDigits, translateName, writeDateIn } from './locales.ts';

/** Tokens of Luxon (https://moment.github.io/luxon/#/formatting?id=table-of-tokens) and those of `format` here. */
const TOKENS: Readonly<Record<string, string>> = {
  yyyy: 'YYYY',
  yy: 'YY',
  kkkk: '{GGGG}',
  MMMM: 'MMMM',
  LLLL: 'MMMM',
  MMM: 'MMM',
  LLL: 'MMM',
  MM: 'MM',
  LL: 'MM',
  M: 'M',
  L: 'M',
  dd: 'DD',
  d: 'D',
  EEEE: 'dddd',
  cccc: 'dddd',
  EEE: 'ddd',
  ccc: 'ddd',
  E: '{E}',
  c: '{E}',
  ooo: '{DDDD}',
  o: '{DDD}',
  WW: '{WW}',
  W: '{W}',
  q: '{Q}',
  HH: 'HH',
  H: 'H',
  hh: 'hh',
  h: 'h',
  mm: 'mm',
  m: 'm',
  ss: 'ss',
  s: 's',
  SSS: 'SSS',
  u: 'SSS',
  a: 'A',
  ZZ: 'Z',
  ZZZ: 'ZZ',
  X: '{X}',
  x: '{x}',
};
/** Luxon reads them from no text. */
const ONLY_WRITTEN = new Set('kkkk E c EEEE EEE cccc ccc ooo o WW W q u X x'.split(' '));

/** A pattern of Luxon as a pattern of `format`. */
export const dateFormat = (pattern: string): string => translated(pattern, () => true);

/** A pattern of Luxon for a text to read. */
export const readFormat = (pattern: string): string =>
  translated(pattern, (token) => !ONLY_WRITTEN.has(token));

const RUN = /'([^']*)'|'|([A-Za-z])\2*|\[/g;

/** A date by a pattern of Luxon, in a language; that of formats as a whole differs where none is named. */
export function writeDate(date: Code, pattern: string, language = 'en'): Code {
  const isInEnglish = isEnglish(language);
  if (!isInEnglish) requireLatinDigits(language);
  const pieces: (Code | string)[] = [];
  let end = 0;
  for (const { 0: run, 1: quoted, index } of pattern.matchAll(RUN)) {
    const options = quoted === undefined ? findMacro(run) : undefined;
    const whole = options && writeDateIn(date, language === 'en' ? 'en-US' : language, options);
    if (run === 'a' && !isInEnglish)
      throw new Untranslatable('AM and PM have no equal here in this language');
    const name =
      whole ?? (isInEnglish || quoted !== undefined ? undefined : translateName(date, run, language));
    if (name === undefined) continue;
    pieces.push(pattern.slice(end, index), name);
    end = index + run.length;
  }
  const written = [...pieces, pattern.slice(end)].filter((piece) => piece !== '');
  const parts = written.map((piece) =>
    typeof piece === 'string'
      ? chain(`${enclosed(date)}.format(${patternCode(dateFormat(piece))})`, 'text')
      : piece,
  );
  return parts.length === 0 ? textConstant('') : joined(parts);
}

/** Runs of one letter are tokens; text in quotes and all other characters stay. */
function translated(pattern: string, isKnown: (token: string) => boolean): string {
  return pattern.replaceAll(RUN, (run, quoted: string | undefined) => {
    if (quoted !== undefined && quoted !== '' && !quoted.includes(']')) return `[${quoted}]`;
    if (run === '[') return '[[]';
    const token = Object.hasOwn(TOKENS, run) && isKnown(run) ? TOKENS[run] : undefined;
    if (token === undefined) throw new Untranslatable(`the date format ${run} has no equal here`);
    return token;
  });
}

/** Code of a pattern of `format`. */
export const patternCode = (pattern: string): string => textConstant(pattern).code;
