import { type FieldOptions, field, isJsonObject, type Json } from '@millrace/engine';
import { refusedParam } from '../../refused-param.ts';
import { parsedJson } from '../../text/parsed-json.ts';

/** The list that a node works on. */
export const itemsField = (options: FieldOptions = {}) =>
  field
    .value('List', { placeholder: '$input.items', help: 'An expression such as $input.items.', ...options })
    .default('$input.items');

/** The list that a node puts beside the first. */
export const othersField = () =>
  field
    .value('Other list', {
      placeholder: '$orders.items',
      when_empty: 'Enter the other list, such as $orders.items',
      help: 'An expression such as $orders.items.',
    })
    .default('');

/** Names of fields in a text, separated by commas; `address.city` names a field inside another. */
export const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** The list of a parameter: as an expression gave it, or as JSON text. */
export function itemsIn(params: Readonly<Record<string, unknown>>, name: string): readonly Json[] {
  const stored = params[name];
  const value = typeof stored === 'string' ? parsedJson(stored) : stored;
  if (Array.isArray(value)) return value as Json[];
  throw refusedParam(
    name,
    `must be a list, not ${describeKind(stored)}; use an expression such as $input.items`,
  );
}

function describeKind(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return typeof value === 'object' ? 'an object' : `a ${typeof value === 'string' ? 'text' : typeof value}`;
}

/** A value under a name, and the object that has it or would have it; undefined where there is none. */
export interface Found {
  readonly holder: Json | undefined;
  readonly value: Json | undefined;
}

/** Looks for the value that an item has under a name; without a name it is the item itself. */
export function findValue(item: Json, name: string): Found {
  if (name === '') return { holder: undefined, value: item };
  // A name with a dot may be the name of one field, as rows of a table have it.
  if (isJsonObject(item) && Object.hasOwn(item, name)) return { holder: item, value: item[name] };
  let found: Found = { holder: undefined, value: item };
  for (const part of name.split('.')) {
    const holder = found.value;
    const isThere = isJsonObject(holder) && Object.hasOwn(holder, part);
    found = { holder, value: isThere ? holder[part] : undefined };
  }
  return found;
}

/** The value that an item has under a name, null when it has none; without a name the item itself. */
export const valueAt = (item: Json, name: string): Json => findValue(item, name).value ?? null;

/** A text that is the same for equal values and for no others; the order of keys in objects does not count. */
export function toCanonicalKey(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalKey).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const parts = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${toCanonicalKey(value[key] ?? null)}`);
  return `{${parts.join(',')}}`;
}
