import { type Code, chain, other } from './value.ts';

/** Functions of JavaScript and n8n by their whole name, with what one argument becomes. */
export const FUNCTIONS: Readonly<Record<string, (value: string) => Code>> = {
  'Math.abs': (value) => chain(`abs(${value})`),
  'Math.max': (value) => chain(`max(${value})`),
  'Math.min': (value) => chain(`min(${value})`),
  $max: (value) => chain(`max(${value})`),
  $min: (value) => chain(`min(${value})`),
  'Math.random': () => chain('rand()'),
  'Math.floor': (value) => other(`(${value}) // 1`),
  'Math.ceil': (value) => other(`0 - ((0 - (${value})) // 1)`),
  'Array.isArray': (value) => other(`(${value}).take(0) != null`),
  'Math.trunc': (value) => chain(`int(${value})`),
  'JSON.stringify': (value) => other(`(${value}).toString()`),
  'JSON.parse': (value) => chain(`toJson(${value})`),
  'Object.keys': (value) => other(`(${value}).keys()`),
  'Object.values': (value) => other(`(${value}).values()`),
  String: (value) => chain(`concat(${value})`, 'text'),
  Number: (value) => chain(`float(${value})`),
  parseFloat: (value) => chain(`float(${value})`),
  parseInt: (value) => chain(`int(${value})`),
  Boolean: (value) => chain(`bool(${value})`),
  encodeURIComponent: (value) => other(`(${value}).urlEncode()`),
  decodeURIComponent: (value) => other(`(${value}).urlDecode()`),
  'DateTime.fromISO': (value) => chain(`Date(${value})`, 'date'),
  'DateTime.now': () => chain('now', 'date'),
  'DateTime.local': () => chain('now', 'date'),
  'Date.now': () => chain('now.toMillis()'),
};
export const WITHOUT_ARGUMENTS = new Set(['Math.random', 'DateTime.now', 'DateTime.local', 'Date.now']);
export const ANY_COUNT = new Set(['Math.max', 'Math.min', '$max', '$min']);

/** Names that stand for one value here. */
export const VALUES: Readonly<Record<string, Code>> = {
  $now: chain('now', 'date'),
  $today: chain('now.startOfDay()', 'date'),
  // A node runs once here, with the first item.
  $itemIndex: { form: 'constant', code: '0' },
  undefined: { form: 'constant', code: 'null' },
  '$execution.id': chain('executionId', 'text'),
  '$workflow.name': chain('workflowName', 'text'),
};
