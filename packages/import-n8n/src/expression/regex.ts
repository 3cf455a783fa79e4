import { createScope, evaluate } from '@millrace/engine';
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
  // Here a pattern reads whole characters.
  if (/\\u[dD][89A-Fa-f]/.test(pattern))
    throw new Untranslatable('a pattern of halves of characters has no equal here');
  const options = flags.replaceAll(/[^ims]/g, '');
  // "/" and others need no escape, and have none in RE2; "-" would begin a range without one.
  const plain = pattern
    .replaceAll(/\\([/@#%&=:;,'"`~!<> ])/g, '$1')
    .replaceAll(/\\u(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{4}))/g, (_, long, short) => `\\x{${long ?? short}}`);
  const spelled = options === '' ? plain : `(?${options})${plain}`;
  requireReadable(spelled);
  return spelled;
}

const NO_VALUES = createScope({ values: {}, now: () => 0, uuid: () => '', random: () => 0 });

/** A replacement of what no pattern can be is nothing at all, and no error. */
function requireReadable(pattern: string): void {
  if (evaluate(`$concat("a").regexReplace(${JSON.stringify(pattern)}, "")`, 'value', NO_VALUES) === null)
    throw new Untranslatable(`the pattern ${pattern.slice(0, 100)} has no equal here`);
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
  const found = `(${code}) ? ${searched}.regexReplace(${whole}, "\\\\${group + 1}") : null`;
  return { ...other(found), value: 'text' };
}
