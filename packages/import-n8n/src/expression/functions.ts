import { isWhole, mergedCode } from './extensions/transformations.ts';
import { type Expression, isDecimal } from './tree.ts';
import { asText, type Code, chain, enclosed, numeric, other, Untranslatable } from './value.ts';

type Make = (value: Code, ...more: readonly Code[]) => Code;

const called =
  (name: string, kind?: Code['value']): Make =>
  ({ code }) =>
    chain(`${name}(${code})`, kind);
/** A function of numbers. */
const counted =
  (name: string): Make =>
  (...values) =>
    chain(`${name}(${values.map(numeric).join(', ')})`, 'number');
/** One part of the pairs of an object, whose data cannot hide it. */
const ofPairs =
  (part: 0 | 1): Make =>
  ({ code }) =>
    chain(`pairs(${code}).map("item[${part}]")`);
/** A function of text, which makes a text of anything else. */
const ofText =
  (name: string): Make =>
  (value) =>
    chain(`${asText(value)}.${name}()`, 'text');
const toNumberCode = (code: string): Code => ({ ...other(code), value: 'number' });

/** JSON of a value, which may be indented. */
function writtenJson(value: Code, replacer?: Code, indent?: Code): Code {
  if (replacer !== undefined && replacer.code !== 'null')
    throw new Untranslatable('JSON.stringify() with chosen fields has no equal here');
  return chain(`toJsonText(${value.code}${indent === undefined ? '' : `, ${indent.code}`})`, 'text');
}

/** The largest or smallest of several numbers, or of the numbers of one list. */
const extreme =
  (name: string): Make =>
  (...values) =>
    values.length === 1 ? called(name)(values[0]) : counted(name)(...values);

/** The largest or smallest of the elements of a list, as `Math.max(...list)`. */
export const extremeCode = (name: string, list: Code): Code =>
  chain(`${name.slice(-3)}(array(${list.code}).flat().map("toNumber(item)"))`, 'number');

/** Functions of JavaScript and n8n by their whole name, with what their arguments become. */
export const FUNCTIONS: Readonly<Record<string, Make>> = {
  'Math.abs': counted('abs'),
  'Math.max': extreme('max'),
  'Math.min': extreme('min'),
  $max: extreme('max'),
  $min: extreme('min'),
  'Math.random': () => chain('rand()', 'number'),
  'Math.floor': (value) => toNumberCode(`${numeric(value)} // 1`),
  'Math.ceil': (value) => toNumberCode(`0 - ((0 - ${numeric(value)}) // 1)`),
  // JavaScript rounds a half up; round() here takes the even neighbour.
  'Math.round': (value) => toNumberCode(`(${numeric(value)} + 0.5) // 1`),
  'Array.isArray': ({ code }) => other(`(${code}).take(0) != null`),
  'Math.trunc': counted('int'),
  'JSON.stringify': writtenJson,
  'JSON.parse': called('toJson'),
  'Object.keys': ofPairs(0),
  'Object.values': ofPairs(1),
  'Object.entries': called('pairs'),
  'Object.fromEntries': (value) => other(`{concat(key): value for key, value in ${enclosed(value)}}`),
  'Object.assign': (...objects) => mergedCode(objects.map((object) => `${enclosed(object)} ?? {}`)),
  isNaN: ({ code }) => other(`toNumber(${code}) == null`),
  isFinite: ({ code }) => other(`toNumber(${code}) != null`),
  'Number.isNaN': (value) => {
    if (value.value !== 'number') throw new Untranslatable('Number.isNaN() needs a number that is counted');
    return other(`${enclosed(value)} == null`);
  },
  'Number.isInteger': (value) => other(isWhole(enclosed(value))),
  'Number.isFinite': ({ code }) => other(`type(${code}) == "number"`),
  'Number.parseFloat': called('parseFloat', 'number'),
  'Math.pow': (base, exponent) => toNumberCode(`${numeric(base)} ** ${numeric(exponent)}`),
  String: called('concat', 'text'),
  Number: called('toNumber', 'number'),
  parseFloat: called('parseFloat', 'number'),
  parseInt: called('parseInt', 'number'),
  Boolean: called('bool'),
  $not: (value) => other(`not ${enclosed(value)}`),
  'Math.sqrt': (value) => toNumberCode(`${numeric(value)} ** 0.5`),
  encodeURIComponent: ofText('urlEncode'),
  decodeURIComponent: ofText('urlDecode'),
};
const WITHOUT_ARGUMENTS = new Set(['Math.random']);
const ANY_COUNT = new Set(['Math.max', 'Math.min', '$max', '$min', 'Object.assign', 'JSON.stringify']);
const TWO_ARGUMENTS = new Set(['Math.pow']);

/** Whether a function of `FUNCTIONS` may be called with these arguments. */
export function takesArguments(name: string, args: readonly Expression[]): boolean {
  if (WITHOUT_ARGUMENTS.has(name)) return args.length === 0;
  if (ANY_COUNT.has(name) && args.length > 0) return true;
  return args.length === (TWO_ARGUMENTS.has(name) ? 2 : 1) || isDecimal(name, args);
}

/** Advice about names that have no equal here. */
const ADVICE: Readonly<Record<string, string>> = {
  $env: 'put the value into a global variable, which $vars reads',
  $secrets: 'put the value into a credential',
  $parameter: 'write the value of that parameter here',
  $binary: 'files that nodes hand on are values of their own; read the field with the file',
  '$execution.mode': 'a run does not know how it was started',
  '$execution.resumeUrl': 'the address is made by the node that waits for a call',
  '$workflow.active': 'a workflow does not know whether it is published',
};
export const hasAdvice = (name: string): boolean => Object.hasOwn(ADVICE, name);

/** Why a name, or a property of one, cannot be translated. */
export const reasonFor = (name: string): string =>
  `${name} has no equal here${hasAdvice(name) ? `: ${ADVICE[name]}` : ''}`;

/** Names that stand for one value here. */
export const VALUES: Readonly<Record<string, Code>> = {
  $now: chain('now', 'date'),
  $today: chain('now.startOfDay()', 'date'),
  undefined: { form: 'constant', code: 'null' },
  'Math.PI': { form: 'constant', code: String(Math.PI), value: 'number' },
  '$execution.id': chain('executionId', 'text'),
  '$workflow.name': chain('workflowName', 'text'),
  // The path of a workflow ends with its id.
  '$workflow.id': chain('workflowPath.split("/").last()', 'text'),
};
