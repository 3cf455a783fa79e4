import { durationMethod } from '../dates/durations.ts';
import { convertedDate } from '../dates/functions.ts';
import { dateMethod } from '../dates/members.ts';
import { type Code, chain, enclosed, isDate, other, Untranslatable } from '../value.ts';
import { emptyCode } from './texts.ts';
import { transformedCode } from './transformations.ts';

/** Methods of JavaScript and of n8n that have the same meaning here, with the numbers of arguments they may have. */
const SAME: Readonly<Record<string, { readonly name: string; readonly counts: readonly number[] }>> = {
  toUpperCase: { name: 'toUpperCase', counts: [0] },
  toLowerCase: { name: 'toLowerCase', counts: [0] },
  toLocaleUpperCase: { name: 'toUpperCase', counts: [0] },
  toLocaleLowerCase: { name: 'toLowerCase', counts: [0] },
  trim: { name: 'trim', counts: [0] },
  normalize: { name: 'normalize', counts: [0, 1] },
  startsWith: { name: 'startsWith', counts: [1] },
  endsWith: { name: 'endsWith', counts: [1] },
  includes: { name: 'includes', counts: [1] },
  has: { name: 'includes', counts: [1] },
  indexOf: { name: 'indexOf', counts: [1, 2] },
  charAt: { name: 'charAt', counts: [1] },
  substr: { name: 'substr', counts: [1, 2] },
  split: { name: 'split', counts: [1] },
  join: { name: 'join', counts: [1] },
  first: { name: 'first', counts: [0] },
  last: { name: 'last', counts: [0] },
  flat: { name: 'flat', counts: [0, 1] },
  reverse: { name: 'reverse', counts: [0] },
  toReversed: { name: 'reverse', counts: [0] },
  unique: { name: 'distinct', counts: [0] },
  removeDuplicates: { name: 'distinct', counts: [0] },
  base64Encode: { name: 'base64Encode', counts: [0] },
  base64Decode: { name: 'base64Decode', counts: [0] },
  urlEncode: { name: 'urlEncode', counts: [0] },
  urlDecode: { name: 'urlDecode', counts: [0] },
  pop: { name: 'last', counts: [0] },
  shift: { name: 'first', counts: [0] },
  randomItem: { name: 'random', counts: [0] },
  parseJson: { name: 'toJson', counts: [0] },
};
/** Methods of n8n that convert a value. */
const CONVERSIONS: Readonly<Record<string, string>> = {
  toInt: 'readInt',
  toFloat: 'readFloat',
  toNumber: 'readNumber',
};
/** People give them arguments all the same, of which JavaScript takes no notice. */
const IGNORES_ARGUMENTS = new Set(['trim', 'toUpperCase', 'toLowerCase']);
const TEXT_RESULT = new Set(
  'toUpperCase toLowerCase trim normalize toString charAt substring substr join'.split(' '),
);

/** Below 0 a position means other things in texts and in lists of JavaScript. */
const isFixedPosition = (code: string): boolean => /^\d+$/.test(code);

/** Position 0 stands in JavaScript for all that is no number, except for a missing end. */
function translatePosition(position: Code, missing?: string): string {
  if (isFixedPosition(position.code)) return position.code;
  if (position.value === 'number') return `(${enclosed(position)} or 0)`;
  const given = missing === undefined ? position.code : `${enclosed(position)} ?? ${missing}`;
  return `(toNumber(${given}) or 0)`;
}

/** In JavaScript a position below 0 is 0, and the smaller position comes first. */
function translatePositions(receiver: string, [start, end]: readonly Code[]): string {
  const from = start === undefined ? '0' : translatePosition(start);
  if (end === undefined) return isFixedPosition(from) ? from : `max(${from}, 0)`;
  const to = translatePosition(end, `len(${receiver})`);
  if (isFixedPosition(from) && isFixedPosition(to) && Number(from) <= Number(to)) return `${from}, ${to}`;
  return `max(min(${from}, ${to}), 0), max(${from}, ${to}, 0)`;
}

/** The text of a value; that of a list has its elements with commas. */
function textCode(object: Code): Code {
  if (object.value === 'text') return object;
  const receiver = enclosed(object);
  if (object.value === 'number' || object.form === 'constant')
    return {
      form: object.form === 'other' ? 'other' : 'chain',
      code: `${receiver}.toString()`,
      value: 'text',
    };
  return {
    ...other(`type(${object.code}) == "array" ? ${receiver}.join(",") : ${receiver}.toString()`),
    value: 'text',
  };
}

/** The code of a call of a method, or a reason why there is none. */
export function methodCall(object: Code, name: string, args: readonly Code[]): Code {
  if (isDate(object)) return dateMethod(object, name, args);
  if (object.value === 'duration') return durationMethod(object, name, args);
  if (name === 'toDateTime' && args.length < 2) return convertedDate(object, args);
  const transformed = transformedCode(object, name, args);
  if (transformed !== undefined) return transformed;
  const receiver = enclosed(object);
  if (IGNORES_ARGUMENTS.has(name) && args.length > 0) return methodCall(object, name, []);
  const code = args.map((arg) => arg.code).join(', ');
  const make = object.form === 'other' ? other : chain;
  if (name === 'slice') return make(`${receiver}[${args[0]?.code ?? ''}:${args[1]?.code ?? ''}]`);
  if (name === 'substring' && args.length > 0 && args.length < 3)
    return { ...make(`${receiver}.substring(${translatePositions(receiver, args)})`), value: 'text' };
  if (name === 'at' && args.length === 1) return make(`${receiver}[${code}]`);
  if (name === 'concat' && object.value === 'text') return chain(`concat(${object.code}, ${code})`, 'text');
  if (name === 'join' && args.length === 0) return make(`${receiver}.join(",")`);
  if (name === 'isEmpty' && args.length === 0) return emptyCode(object);
  if (name === 'isNotEmpty' && args.length === 0) return other(`not (${emptyCode(object).code})`);
  if (name === 'toString' && args.length === 0) return textCode(object);
  if (name === 'toJsonString' && args.length === 0) return chain(`toJsonText(${object.code})`, 'text');
  if (Object.hasOwn(CONVERSIONS, name) && args.length === 0)
    return chain(`${CONVERSIONS[name]}(${object.code})`, 'number');
  if (name === 'concat') return chain(`array(${object.code}, ${code}).flat()`);
  if (['sum', 'max', 'min'].includes(name) && args.length === 0)
    return chain(`${name}(${receiver}.map("parseFloat(item)"))`, 'number');
  if (name === 'hasField' && args.length === 1) return other(`${code} in ${receiver}`);
  if (name === 'split' && args[0]?.code === '""') throw new Untranslatable('split("") has no equal here');
  if (name === 'indexOf' && args[1] !== undefined && !isFixedPosition(args[1].code))
    throw new Untranslatable('indexOf() needs a fixed start from 0 here');
  const same = Object.hasOwn(SAME, name) ? SAME[name] : undefined;
  if (!same?.counts.includes(args.length)) throw new Untranslatable(`the method ${name}() has no equal here`);
  return {
    ...make(`${receiver}.${same.name}(${code})`),
    ...(TEXT_RESULT.has(name) ? { value: 'text' as const } : {}),
  };
}
