import { asText, type Code, chain, enclosed, other, Untranslatable } from './value.ts';

interface Pattern {
  readonly pattern: string;
  readonly flags: string;
}

interface Replacement extends Pattern {
  readonly by: Code | undefined;
}

/** A pattern of JavaScript for patterns here (RE2), which have no look-around and no references back. */
function written({ pattern, flags }: Pattern): string {
  if (/\(\?[=!<]|\\[1-9k]/.test(pattern)) {
    throw new Untranslatable('patterns with look-around or references back have no equal here');
  }
  const options = flags.replaceAll(/[^ims]/g, '');
  // "/" and "-" need no escape, and other letters have none in RE2.
  const plain = pattern.replaceAll(/\\([/\-@#%&=:;,'"`~!<> ])/g, '$1');
  return options === '' ? plain : `(?${options})${plain}`;
}

/** `text.replace(/pattern/g, "by")`. */
export function regexReplacement(text: Code, { pattern, flags, by }: Replacement): Code {
  if (by === undefined) throw new Untranslatable('replace() needs a text to replace with');
  if (!flags.includes('g')) return firstReplaced(text, { pattern, flags, by });
  const code = `${enclosed(text)}.regexReplace(${JSON.stringify(written({ pattern, flags }))}, ${by.code})`;
  return { ...(text.form === 'other' ? other(code) : chain(code)), value: 'text' };
}

/** What is before the first match stays, so that the pattern can match only there. */
function firstReplaced(text: Code, { pattern, flags, by }: Replacement): Code {
  if (by?.form !== 'constant' || /[$\\]/.test(by.code) || flags.includes('m'))
    throw new Untranslatable('replacing only the first match needs a fixed text; add the flag g');
  const whole = JSON.stringify(`^((?s:.*?))(?:${written({ pattern, flags })})`);
  const code = `${enclosed(text)}.regexReplace(${whole}, ${JSON.stringify(`\\1${JSON.parse(by.code) as string}`)})`;
  return { ...(text.form === 'other' ? other(code) : chain(code)), value: 'text' };
}

/** `text.replace("part", by)`: the first one only. */
export function firstPartReplaced(text: Code, part: Code, by: Code): Code {
  if (part.code === '""' || (by.form === 'constant' && by.code.includes('$')))
    throw new Untranslatable('replace() with an empty text or with "$" has no equal here');
  const whole = enclosed(text);
  const parts = `${whole}.split(${part.code})`;
  return {
    ...other(
      `${whole}.contains(${part.code}) ? concat(${parts}[0], ${by.code}, ${parts}[1:].join(${part.code})) : ${whole}`,
    ),
    value: 'text',
  };
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
