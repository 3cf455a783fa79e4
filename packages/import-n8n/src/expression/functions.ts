import { asText, type Code, chain, numeric, other } from './value.ts';

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
const method =
  (name: string): Make =>
  ({ code }) =>
    other(`(${code}).${name}()`);
/** A function of text, which makes a text of anything else. */
const ofText =
  (name: string): Make =>
  (value) =>
    chain(`${asText(value)}.${name}()`, 'text');
const toNumberCode = (code: string): Code => ({ ...other(code), value: 'number' });

/** The largest or smallest of several numbers, or of the numbers of one list. */
const extreme =
  (name: string): Make =>
  (...values) =>
    values.length === 1 ? called(name)(values[0]) : counted(name)(...values);

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
  'JSON.stringify': called('toJsonText', 'text'),
  'JSON.parse': called('toJson'),
  'Object.keys': method('keys'),
  'Object.values': method('values'),
  String: called('concat', 'text'),
  Number: called('toNumber', 'number'),
  parseFloat: called('parseFloat', 'number'),
  parseInt: called('parseInt', 'number'),
  Boolean: called('bool'),
  encodeURIComponent: ofText('urlEncode'),
  decodeURIComponent: ofText('urlDecode'),
};
export const WITHOUT_ARGUMENTS = new Set(['Math.random']);
export const ANY_COUNT = new Set(['Math.max', 'Math.min', '$max', '$min']);

/** Names that stand for one value here. */
export const VALUES: Readonly<Record<string, Code>> = {
  $now: chain('now', 'date'),
  $today: chain('now.startOfDay()', 'date'),
  undefined: { form: 'constant', code: 'null' },
  '$execution.id': chain('executionId', 'text'),
  '$workflow.name': chain('workflowName', 'text'),
};
