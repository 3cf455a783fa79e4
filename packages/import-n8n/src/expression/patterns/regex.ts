import { createScope, evaluate } from '@millrace/engine';
import { asText, type Code, chain, enclosed, other, Untranslatable } from '../value.ts';

export interface Pattern {
  readonly pattern: string;
  readonly flags: string;
}

/** A pattern of JavaScript for patterns here (RE2), which have no look-around and no references back. */
export function written({ pattern, flags }: Pattern): string {
  if (/\(\?[=!<]|\\[1-9k]/.test(pattern)) {
    throw new Untranslatable('patterns with look-around or references back have no equal here');
  }
  // Here a pattern reads whole characters.
  if (/\\u[dD][89A-Fa-f]/.test(pattern))
    throw new Untranslatable('a pattern of halves of characters has no equal here');
  const options = flags.replaceAll(/[^ims]/g, '');
  // "/" and others need no escape, and have none in RE2; "-" would begin a range without one.
  const plain = spellSpaces(pattern)
    .replaceAll(/\\([/@#%&=:;,'"`~!<> ])/g, '$1')
    .replaceAll(/\\u(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{4}))/g, (_, long, short) => `\\x{${long ?? short}}`);
  const spelled = options === '' ? plain : `(?${options})${plain}`;
  requireReadable(spelled);
  return spelled;
}

/** White space of JavaScript, inside brackets; that of RE2 is in ASCII only. */
export const SPACES = String.raw`\t-\r\p{Z}\x{feff}`;

function spellSpaces(pattern: string): string {
  let isInBrackets = false;
  return pattern.replaceAll(/\[\\s\\S\]|\[\\S\\s\]|\\[^]|\[\^?|\]/g, (part) => {
    if (part.length === 6 && !isInBrackets) return '(?s:.)';
    if (part.startsWith('[') && !isInBrackets) isInBrackets = true;
    else if (part === ']') isInBrackets = false;
    if (part === String.raw`\s`) return isInBrackets ? SPACES : `[${SPACES}]`;
    if (part !== String.raw`\S`) return part;
    if (isInBrackets) throw new Untranslatable('"\\S" in brackets has no equal here');
    return `[^${SPACES}]`;
  });
}

const NO_VALUES = createScope({ values: {}, now: () => 0, uuid: () => '', random: () => 0 });

/** A replacement of what no pattern can be is nothing at all, and no error. */
function requireReadable(pattern: string): void {
  if (replaced('a', pattern) === null)
    throw new Untranslatable(`the pattern ${pattern.slice(0, 100)} has no equal here`);
}

const replaced = (text: string, pattern: string): unknown =>
  evaluate(`$concat("${text}").regexReplace(${JSON.stringify(pattern)}, "x")`, 'value', NO_VALUES);

/** In no text that is searched. */
const MARK = '"\uE000"';

/** Whether the pattern occurs: then a replacement changes the text. */
export function regexTest(text: Code, pattern: Pattern): Code {
  const searched = asText(text);
  return other(`${searched}.regexReplace(${JSON.stringify(written(pattern))}, ${MARK}) != ${searched}`);
}

/** `search`, `split` and `match` of all, with a pattern; undefined for other methods. */
export function patternMethod(text: Code, name: string, pattern: Pattern): Code | undefined {
  if (name === 'search') return searchCode(text, pattern);
  if (name === 'split') return splitCode(text, pattern);
  if (name !== 'match' || !pattern.flags.includes('g')) return undefined;
  return other(`${enclosed(text)}.regexFindAll(${JSON.stringify(written(pattern))}) or null`);
}

function searchCode(text: Code, pattern: Pattern): Code {
  const searched = asText(text);
  const before = JSON.stringify(`^((?s:.*?))(?:${written(pattern)})(?s:.*)$`);
  if (pattern.flags.includes('m')) throw new Untranslatable('search() by lines has no equal here');
  const place = `len(${searched}.regexReplace(${before}, ${JSON.stringify(String.raw`\1`)}))`;
  return { ...other(`(${regexTest(text, pattern).code}) ? ${place} : -1`), value: 'number' };
}

function splitCode(text: Code, pattern: Pattern): Code {
  const spelled = written(pattern);
  const groups = (new RegExp(`${pattern.pattern}|`, pattern.flags).exec('')?.length ?? 1) - 1;
  if (groups > 0) throw new Untranslatable('splitting at a pattern with groups has no equal here');
  // Without what only stands between characters, so that such a pattern is found out.
  const bare = spelled.replaceAll(/\\[bB]|(?<![\\[])[$^]/g, '');
  if (replaced('', spelled) !== '' || replaced('', bare) !== '')
    throw new Untranslatable('splitting at a pattern that may be empty has no equal here');
  return chain(`${enclosed(text)}.regexReplace(${JSON.stringify(spelled)}, ${MARK}).split(${MARK})`);
}

/** A group of the first match, or null: all of the text becomes that group. */
export function regexGroup(text: Code, { pattern, flags }: Pattern, group: number): Code {
  const searched = asText(text);
  const inner = written({ pattern, flags });
  const whole = JSON.stringify(`^(?s:.*?)(${inner})(?s:.*)$`);
  const { code } = regexTest(text, { pattern, flags });
  const found = `(${code}) ? ${searched}.regexReplace(${whole}, "\\\\${group + 1}") : null`;
  return { ...other(found), value: 'text' };
}
