import { type Expression, fixedText } from '../tree.ts';
import { type Code, chain, enclosed, other, textConstant, textual, Untranslatable } from '../value.ts';
import { type Pattern, written } from './regex.ts';

interface Replacement {
  readonly isAll: boolean;
  readonly args: readonly Expression[];
  readonly code: (node: Expression) => Code;
}

/** `text.replace(…)` and `text.replaceAll(…)`. */
export function replacedCode(text: Code, { isAll, args, code }: Replacement): Code {
  const [wanted, by] = args;
  if (wanted === undefined || by === undefined || args.length > 2)
    throw new Untranslatable('replace() needs a text to replace, and one to replace it with');
  const fixed = fixedText(by);
  if (wanted.type === 'RegExpLiteral') {
    const isEach = isAll || wanted.flags.includes('g');
    return isEach
      ? asWritten(text, `regexReplace(${JSON.stringify(written(wanted))}, ${replacementCode(by, code)})`)
      : firstMatchReplaced(text, wanted, fixed);
  }
  const replacement = fixed === undefined ? code(by) : textConstant(plainReplacement(fixed));
  const part = code(wanted);
  return isAll
    ? asWritten(text, `replaceAll(${textual(part)}, ${textual(replacement)})`)
    : firstPartReplaced(text, part, replacement);
}

function asWritten(text: Code, call: string): Code {
  const made = `${enclosed(text)}.${call}`;
  return { ...(text.form === 'other' ? other(made) : chain(made)), value: 'text' };
}

/** Of a replacement: what JavaScript reads as more than text, and what the group of a match is in both. */
const REFERENCE = /\$[$&]/g;
const WITHOUT_EQUAL = /\$(?:[`'<{0]|[1-9][0-9])|\$\$(?=[0-9{$])/;

/** The replacement for matches of a pattern; `$1` is the same in both, and a backslash is only text in JavaScript. */
function replacementCode(by: Expression, code: (node: Expression) => Code): string {
  const fixed = fixedText(by);
  const parts = by.type === 'TemplateLiteral' ? by.quasis.map(({ value }) => value.raw) : [];
  if (WITHOUT_EQUAL.test(fixed ?? '') || parts.some((part) => fixed === undefined && /\$[^1-9]/.test(part)))
    throw new Untranslatable('a replacement with these "$" has no equal here');
  if (fixed === undefined) return String.raw`${textual(code(by))}.replaceAll("\\", "\\\\")`;
  const spelled = fixed
    .replaceAll('\\', String.raw`\\`)
    .replaceAll(REFERENCE, (found) => (found === '$$' ? '$' : String.raw`\g<0>`));
  return textConstant(spelled).code;
}

/** The text that a replacement for a part stands for, where no group can be meant. */
function plainReplacement(by: string): string {
  if (/\$[&`']/.test(by)) throw new Untranslatable('a replacement with these "$" has no equal here');
  return by.replaceAll('$$', () => '$');
}

/** Text before the first match stays, so that the pattern can match only there. */
function firstMatchReplaced(text: Code, { pattern, flags }: Pattern, by: string | undefined): Code {
  if (by === undefined || /[$\\]/.test(by) || flags.includes('m'))
    throw new Untranslatable('replacing only the first match needs a fixed text; add the flag g');
  const whole = JSON.stringify(`^((?s:.*?))(?:${written({ pattern, flags })})`);
  return asWritten(text, `regexReplace(${whole}, ${JSON.stringify(`\\1${by}`)})`);
}

function firstPartReplaced(text: Code, part: Code, by: Code): Code {
  if (part.code === '""') throw new Untranslatable('replace() with an empty text has no equal here');
  const whole = enclosed(text);
  const parts = `${whole}.split(${part.code})`;
  return {
    ...other(
      `${whole}.contains(${part.code}) ? concat(${parts}[0], ${by.code}, ${parts}[1:].join(${part.code})) : ${whole}`,
    ),
    value: 'text',
  };
}
