import { type Context, NoValue, produceText, spendText } from '../evaluate/context.ts';
import { joinList } from '../methods/list.ts';
import {
  capitalize,
  decodeBase64,
  encodeBase64,
  hashText,
  replaceAllIn,
  replacePatternIn,
  splitText,
  titleCase,
} from '../methods/string.ts';
import { textIn } from '../values/text.ts';
import { type FunctionDefinition, textArgument } from './definition.ts';

function requireText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new NoValue('Expected text.');
}

function change(name: string, doc: string, apply: (text: string) => string): FunctionDefinition {
  return {
    signature: `${name}(text)`,
    doc,
    example: `$${name}($input.text)`,
    call: (context, [value]) => {
      const text = requireText(value);
      spendText(context, text.length);
      return produceText(context, apply(text));
    },
  };
}

/** concat writes booleans in lower case, unlike templates. */
function concatText(context: Context, value: unknown): string {
  return typeof value === 'boolean' ? String(value) : textIn(context, value);
}

export const textFunctions: Readonly<Record<string, FunctionDefinition>> = {
  upper: change('upper', 'Upper-case text.', (text) => text.toUpperCase()),
  lower: change('lower', 'Lower-case text.', (text) => text.toLowerCase()),
  strip: change('strip', 'Text without white space at both ends.', (text) => text.trim()),
  capitalize: change('capitalize', 'First letter upper-case, the rest lower-case.', capitalize),
  title: change('title', 'Every word with an upper-case first letter.', titleCase),
  split: {
    signature: 'split(text, separator?)',
    doc: 'List of the parts between separators, or between white space.',
    example: '$split($input.text, ",")',
    call: (context, [text, separator]) => splitText(context, requireText(text), separator),
  },
  join: {
    signature: 'join(separator, list)',
    doc: 'One text of a list of texts.',
    example: '$join(", ", $input.names)',
    call: (context, [separator, list]) => {
      if (!Array.isArray(list) || list.some((item) => typeof item !== 'string')) {
        throw new NoValue('join() needs a list of texts.');
      }
      return joinList(context, list, requireText(separator));
    },
  },
  replace: {
    signature: 'replace(text, part, by)',
    doc: 'Replaces all occurrences of a part.',
    example: '$replace($input.text, "a", "b")',
    call: (context, [text, ...values]) => replaceAllIn(context, requireText(text), values),
  },
  regexReplace: {
    signature: 'regexReplace(text, pattern, by)',
    doc: 'Replaces all matches of a regular expression (RE2).',
    example: '$regexReplace($input.text, "[0-9]+", "#")',
    call: (context, [text, ...values]) => replacePatternIn(context, requireText(text), values),
  },
  concat: {
    signature: 'concat(a, …)',
    doc: 'One text of all arguments; null adds nothing.',
    example: '$concat($input.first, " ", $input.last)',
    call: (context, values) =>
      produceText(context, values.map((value) => concatText(context, value)).join('')),
  },
  hash: {
    signature: 'hash(text, algorithm?)',
    doc: 'Hexadecimal text of a hash: md5, sha1, sha224, sha256, sha384 or sha512; md5 by default.',
    example: '$hash($input.text)',
    call: (context, [text, ...algorithm]) => hashText(context, requireText(text), algorithm),
  },
  base64Encode: {
    signature: 'base64Encode(text)',
    doc: 'Base64 of the UTF-8 bytes.',
    example: '$base64Encode($input.first)',
    call: (context, [text]) => encodeBase64(context, textArgument('base64Encode', text)),
  },
  base64Decode: {
    signature: 'base64Decode(text)',
    doc: 'Text of base64; fails the node when it is none.',
    example: '$base64Decode($input.encoded)',
    call: (context, [text]) => decodeBase64(context, textArgument('base64Decode', text)),
  },
};
