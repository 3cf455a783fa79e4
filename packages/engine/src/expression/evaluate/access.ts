import { isBlockedKey } from '../../json.ts';
import { DateValue } from '../dates/date-value.ts';
import { dateMember } from '../methods/date.ts';
import { isObject } from '../values/settle.ts';
import { characterAt, charactersOf, lengthOf } from '../values/unicode.ts';
import { type Context, NoValue, produceText, spend, spendCharacters } from './context.ts';

/** What data may hold; a function or symbol from outside is nothing. */
function dataOf(value: unknown): unknown {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol' ? null : value;
}

/** `value.name`, own data only. The caller has refused blocked names. */
export function memberOf(context: Context, value: unknown, name: string): unknown {
  if (typeof value !== 'object') {
    if (typeof value !== 'string' || name !== 'length') return null;
    spendCharacters(context, value);
    return lengthOf(value);
  }
  if (value === null) return null;
  if (Array.isArray(value)) return name === 'length' ? value.length : listMember(value, name);
  if (value instanceof DateValue) return dateMember(context, value, name);
  if (Object.hasOwn(value, name)) return dataOf((value as Record<string, unknown>)[name]);
  return name === 'length' ? Object.keys(value).length : null;
}

function listMember(list: readonly unknown[], name: string): unknown {
  return /^[0-9]{1,9}$/.test(name) ? dataOf(list[Number(name)]) : null;
}

/** `value[index]`: a position, counted from the end when negative, or a key. */
export function elementOf(context: Context, value: unknown, index: unknown): unknown {
  if (typeof index === 'string') {
    return isObject(value) && !isBlockedKey(index) && Object.hasOwn(value, index)
      ? dataOf(value[index])
      : null;
  }
  if (typeof index !== 'number' || !Number.isInteger(index)) return null;
  if (Array.isArray(value)) return dataOf(value.at(index));
  if (typeof value === 'string') return characterOf(context, value, index);
  return isObject(value) && Object.hasOwn(value, String(index)) ? dataOf(value[String(index)]) : null;
}

function characterOf(context: Context, text: string, index: number): string | null {
  spendCharacters(context, text);
  const length = lengthOf(text);
  const position = index < 0 ? index + length : index;
  return position >= 0 && position < length ? characterAt(text, position) : null;
}

/** `value[from:to:step]` of a text or list; null for anything else. */
export function sliceOf(context: Context, value: unknown, bounds: readonly unknown[]): unknown {
  const isText = typeof value === 'string';
  if (!isText && !Array.isArray(value)) return null;
  if (isText) spendCharacters(context, value);
  const items: readonly unknown[] = isText ? charactersOf(value) : value;
  spend(context, items.length);
  const picked = sliceList(items, bounds);
  return isText ? produceText(context, picked.join('')) : picked;
}

function sliceList(items: readonly unknown[], bounds: readonly unknown[]): unknown[] {
  const step = boundOf(bounds[2]) ?? 1;
  if (step === 0) throw new NoValue('The step of a slice cannot be zero.');
  const forward = step > 0;
  const lowest = forward ? 0 : -1;
  const highest = forward ? items.length : items.length - 1;
  const place = (bound: number | null, otherwise: number): number => {
    if (bound === null) return otherwise;
    return Math.max(lowest, Math.min(highest, bound < 0 ? bound + items.length : bound));
  };
  const from = place(boundOf(bounds[0]), forward ? 0 : highest);
  const to = place(boundOf(bounds[1]), forward ? highest : -1);
  if (step === 1) return items.slice(from, Math.max(from, to));
  const picked: unknown[] = [];
  for (let at = from; forward ? at < to : at > to; at += step) picked.push(items[at]);
  return picked;
}

function boundOf(bound: unknown): number | null {
  if (bound === null || bound === undefined) return null;
  if (typeof bound === 'number' && Number.isInteger(bound)) return bound;
  throw new NoValue('The bounds of a slice must be whole numbers.');
}

/** What a comprehension walks over. Throws NoValue for a value that has no elements. */
export function elementsOf(context: Context, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') {
    spend(context, value.length);
    return charactersOf(value);
  }
  if (!isObject(value)) throw new NoValue('This value has no elements.');
  const keys = Object.keys(value);
  spend(context, keys.length);
  return keys;
}
