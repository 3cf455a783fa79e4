import type { Json } from '@millrace/engine';

/** Why an expression has no equal here; the message completes "cannot be translated: …". */
export class Untranslatable extends Error {}

/**
 * Code of the expression language for a part of a JavaScript expression. A `chain` begins with a name, so that `$` may
 * stand before it; `value` says what is known of it. An `item` of n8n has its data in `json`, and is that data here; a
 * `date` is one of Luxon and a `jsDate` one of JavaScript. The `unit` is that of a duration, and the `language` that of a
 * `localDate`, a date of Luxon whose texts are in it.
 */
export interface Code {
  readonly form: 'chain' | 'constant' | 'other';
  readonly code: string;
  readonly value?: 'date' | 'duration' | 'item' | 'items' | 'jsDate' | 'localDate' | 'number' | 'text';
  readonly unit?: string;
  readonly language?: string;
}

/** An item of a list; a node that hands on one object has only that. `current` is the one that the node works on. */
export type Which = 'current' | 'first' | 'last';

/** The meaning of n8n's names in a workflow that is being imported. */
export interface Names {
  /** Called once for each script; throws `Untranslatable` when the file has too many of them. */
  spend(): void;
  /** A field of one item of a node, or of the data that the node with the expression gets when there is no name. */
  field(node: string | null, key: string, which: Which): string;
  /** That item as a whole; the current one unless it says otherwise. */
  whole(node: string | null, which?: Which): string;
  /** All items as a list. */
  items(node: string | null): string;
  /** The place of the current item in its list. */
  index(): Code;
  /** How often the node has run before: the index of the round in a loop. */
  runIndex(): Code;
  /** Whether a node has run. */
  ran(node: string): string;
  /** How many reads so far were of nodes that may not have run. */
  uncertainReads(): number;
  /** The name of the only node before, as n8n names it. */
  previous(): string;
  /** The parameters of a node as they are written, those of the node itself for null; undefined when there is none. */
  parameters(node: string | null): Json | undefined;
  /** The value filled in under that name by the agent whose tool the node is. */
  fromAgent(name: string): string;
}

export function chain(code: string, value?: Code['value']): Code {
  const form = /^[$A-Za-z_]/.test(code) ? 'chain' : 'other';
  return value === undefined ? { form, code } : { form, code, value };
}
export const other = (code: string): Code => ({ form: 'other', code });

const WORDS = new Set('and or not in if else for is true false null none'.split(' '));

/** True for words of the expression language, which are no names. */
export const isWord = (name: string): boolean => WORDS.has(name.toLowerCase());

/** True for a name that code can have as it is. */
export const isPlainName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !isWord(name);

/** The path to a key: `.name`, or `["other name"]`. */
export function access(key: string): string {
  return isPlainName(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** A text as a constant. A `$name` in it would be read as a reference, so such a text is put together. */
export function textConstant(text: string): Code {
  if (!/\$[A-Za-z]/.test(text)) return { form: 'constant', code: JSON.stringify(text), value: 'text' };
  const parts = text.split(/(?<=\$)(?=[A-Za-z])/).map((part) => JSON.stringify(part));
  return chain(`concat(${parts.join(', ')})`, 'text');
}

/** The code as a part of data: dates become texts, which have milliseconds in n8n. */
export function dataCode(code: Code): Code {
  if (code.value === 'date' || code.value === 'localDate')
    return chain(`${enclosed(code)}.toTimestamp()`, 'text');
  return code.value === 'jsDate' ? chain(`${enclosed(code)}.inZone("UTC").toTimestamp()`, 'text') : code;
}

/** Ends with a call that makes a list. */
const MADE_LIST = /\.(?:map|filter|split|flat|distinct|regexFindAll)\((?:"(?:[^"\\]|\\.)*")?\)$/;

/** The code as a part of a text, in which JavaScript writes the elements of a list with commas. */
const toPart = (code: Code): Code =>
  code.form === 'chain' && code.value === undefined && MADE_LIST.test(code.code)
    ? chain(`${code.code}.join(",")`, 'text')
    : code;

/** One text of several parts. */
export function joined(found: readonly Code[]): Code {
  if (found.some(({ value }) => value === 'jsDate'))
    throw new Untranslatable('the text of a JavaScript date has no equal here; toISOString() has one');
  const parts = found.map((code) => toPart(dataCode(code)));
  if (parts.length === 1 && parts[0]?.value === 'text') return parts[0];
  return chain(`concat(${parts.map(({ code }) => code).join(', ')})`, 'text');
}

/** Text of the code, as fields with references in text read it: nothing is empty text, and truth values are in lower case. */
export const asText = (code: Code): string =>
  code.form === 'chain' && code.code.startsWith('concat(') ? code.code : `concat(${code.code})`;

export const isDate = ({ value }: Code): boolean =>
  value === 'date' || value === 'jsDate' || value === 'localDate';

/** The code as an operand or the object of a method. */
export const enclosed = ({ form, code }: Code): string => (form === 'other' ? `(${code})` : code);

/** The code as an operand that JavaScript makes a number: a text of digits and a date, too. */
export const numeric = (code: Code): string =>
  code.value === 'number' ? enclosed(code) : `toNumber(${code.code})`;

/** The code as a text, which it may be already. */
export const textual = (code: Code): string =>
  code.value === 'text' ? enclosed(code) : `concat(${code.code})`;
