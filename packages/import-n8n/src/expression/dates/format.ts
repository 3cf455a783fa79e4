import { textConstant, Untranslatable } from '../value.ts';

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

/** Runs of one letter are tokens; text in quotes and all other characters stay. */
function translated(pattern: string, isKnown: (token: string) => boolean): string {
  return pattern.replaceAll(/'([^']*)'|'|([A-Za-z])\2*|\[/g, (run, quoted: string | undefined) => {
    if (quoted !== undefined && quoted !== '' && !quoted.includes(']')) return `[${quoted}]`;
    if (run === '[') return '[[]';
    const token = Object.hasOwn(TOKENS, run) && isKnown(run) ? TOKENS[run] : undefined;
    if (token === undefined) throw new Untranslatable(`the date format ${run} has no equal here`);
    return token;
  });
}

/** Code of a pattern of `format`. */
export const patternCode = (pattern: string): string => textConstant(pattern).code;
