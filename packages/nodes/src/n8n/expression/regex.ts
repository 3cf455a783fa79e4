import { type Code, chain, enclosed, other, Untranslatable } from './value.ts';

interface Replacement {
  readonly pattern: string;
  readonly flags: string;
  readonly by: Code | undefined;
}

/** `text.replace(/pattern/g, "by")`. Patterns here have no look-around and no references back. */
export function regexReplacement(text: Code, { pattern, flags, by }: Replacement): Code {
  if (by === undefined) throw new Untranslatable('replace() needs a text to replace with');
  if (!flags.includes('g')) {
    throw new Untranslatable('replacing only the first match has no equal here; add the flag g');
  }
  if (/\(\?[=!<]|\\[1-9k]/.test(pattern)) {
    throw new Untranslatable('patterns with look-around or references back have no equal here');
  }
  const options = flags.replaceAll(/[^ims]/g, '');
  const written = options === '' ? pattern : `(?${options})${pattern}`;
  const code = `${enclosed(text)}.regexReplace(${JSON.stringify(written)}, ${by.code})`;
  return { ...(text.form === 'other' ? other(code) : chain(code)), value: 'text' };
}
