import { asText, type Code, other, Untranslatable } from './value.ts';

export interface Pattern {
  readonly pattern: string;
  readonly flags: string;
}

/** A pattern of JavaScript for patterns here (RE2), which have no look-around and no references back. */
export function written({ pattern, flags }: Pattern): string {
  if (/\(\?[=!<]|\\[1-9k]/.test(pattern)) {
    throw new Untranslatable('patterns with look-around or references back have no equal here');
  }
  const options = flags.replaceAll(/[^ims]/g, '');
  // "/" and "-" need no escape, and other letters have none in RE2.
  const plain = pattern.replaceAll(/\\([/\-@#%&=:;,'"`~!<> ])/g, '$1');
  return options === '' ? plain : `(?${options})${plain}`;
}

/** In no text that is searched. */
const MARK = '"\uE000"';

/** Whether the pattern occurs: then a replacement changes the text. */
export function regexTest(text: Code, pattern: Pattern): Code {
  const searched = asText(text);
  return other(`${searched}.regexReplace(${JSON.stringify(written(pattern))}, ${MARK}) != ${searched}`);
}

/** A group of the first match, or null: all of the text becomes that group. */
export function regexGroup(text: Code, { pattern, flags }: Pattern, group: number): Code {
  const searched = asText(text);
  const inner = written({ pattern, flags });
  const whole = JSON.stringify(`^(?s:.*?)(${inner})(?s:.*)$`);
  const { code } = regexTest(text, { pattern, flags });
  return other(`(${code}) ? ${searched}.regexReplace(${whole}, "\\\\${group + 1}") : null`);
}
