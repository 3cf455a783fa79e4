import { type JsonPath, pathText } from '../../../lib/json/json-path.ts';

/** Type of what a dragged value hands over: its path as JSON, so that each field can write it in the form that fits there. */
const REFERENCE_DATA = 'application/x-millrace-reference';

/** A span begins with a letter. */
const READABLE_LABEL = /^[A-Za-z]\w*$/;

/** Whether expressions can read what is stored under a label or name. */
export const isReadable = (root: string): boolean => READABLE_LABEL.test(root);

/** A path from a label on, as an expression: `$order.body["first name"]`. */
export function referenceText(path: JsonPath): string {
  const [root, ...rest] = path;
  return `$${String(root)}${pathText(rest)}`;
}

/** The same with its last name in brackets, so that the text after it cannot become part of the reference. */
function endedText(path: JsonPath): string {
  const last = path.at(-1);
  if (path.length < 2 || typeof last !== 'string') return referenceText(path);
  return `${referenceText(path.slice(0, -1))}[${JSON.stringify(last)}]`;
}

export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/**
 * How a reference is written in place of a part of a text. What follows must not become a part of the reference, as the
 * word in `$order.nameline` or the dot that ends a sentence; a `$` that was typed already is not doubled.
 */
export function referenceIn(
  text: string,
  { from, to }: { from: number; to: number },
  path: JsonPath,
): Replacement {
  const start = text[from - 1] === '$' ? from - 1 : from;
  const behind = text.slice(to);
  if (!/^[\w.([]/.test(behind)) return { from: start, to, insert: referenceText(path) };
  const insert = endedText(path);
  const isEnded = insert.endsWith(']');
  const continues = isEnded ? /^([([]|\.\w)/.test(behind) : true;
  return { from: start, to, insert: continues ? `${insert} ` : insert };
}

/**
 * The data that a drag carries for a value: its path, and its reference for fields that take plain text. A path without
 * a label is no reference.
 */
export const referenceData = (path: JsonPath): Readonly<Record<string, string>> =>
  path.length === 0 ? {} : { [REFERENCE_DATA]: JSON.stringify(path), 'text/plain': referenceText(path) };

const isPath = (value: unknown): value is JsonPath =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((step) => typeof step === 'string' || typeof step === 'number');

/** The path that a drag carries; undefined for anything else. */
export function readReference(data: DataTransfer | null): JsonPath | undefined {
  const text = data?.getData(REFERENCE_DATA) ?? '';
  if (text === '') return undefined;
  const path: unknown = JSON.parse(text);
  return isPath(path) ? path : undefined;
}
