import { isBlockedKey, isJsonObject, type Json } from '@millrace/engine';
import { readList } from '../../integration/object-input.ts';
import { refusedParam } from '../../refused-param.ts';

/** Elements to pick out of a page, and the attributes to return of each beside its text. */
export interface Selector {
  readonly name: string;
  readonly selector: string;
  readonly attributes: readonly string[];
}

/** The rows of a parameter; those without a selector are left out, for the forms of other products keep empty rows. */
export function readSelectors(params: Readonly<Record<string, unknown>>, field: string): Selector[] {
  return readList(params, field).flatMap((row, index) => {
    if (!isJsonObject(row)) {
      throw refusedParam(
        field,
        `entry ${index + 1} must be an object such as {"name": "title", "selector": "h1"}`,
      );
    }
    const selector = toText(row['selector']);
    const name = toText(row['name']) || selector;
    if (isBlockedKey(name)) throw refusedParam(field, `entry ${index + 1} cannot be named ${name}`);
    const attributes = parseNames(row['attributes'] ?? row['attribute'] ?? []);
    return selector === '' ? [] : [{ name, selector, attributes }];
  });
}

const toText = (value: Json | undefined): string => (typeof value === 'string' ? value.trim() : '');

/** A list, or names separated by commas. */
function parseNames(value: Json): string[] {
  const names = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  return names.map((name) => toText(name)).filter((name) => name !== '' && !isBlockedKey(name));
}
