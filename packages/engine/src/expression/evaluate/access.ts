import { isBlockedKey } from '../../json.ts';
import { DateValue } from '../dates/date-value.ts';
import { dateMember } from '../methods/date.ts';
import { isObject } from '../values/settle.ts';
import { characterAt, countCodePoints, splitCharacters } from '../values/unicode.ts';
import { type Context, NoValue, produceText, spend, spendCharacters } from './context.ts';

/** The value as data may hold it; a function or symbol from outside is nothing. */
function toData(value: unknown): unknown {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol' ? null : value;
}

/** `value.name`, own data only. The caller has refused blocked names. */
export function readMember(context: Context, value: unknown, name: string): unknown {
  if (typeof value !== 'object') {
    if (typeof value !== 'string' || name !== 'length') return null;
    spendCharacters(context, value);
    return countCodePoints(value);
  }
  if (value === null) return null;
  if (Array.isArray(value)) return name === 'length' ? value.length : listMember(value, name);
  if (value instanceof DateValue) return dateMember(context, value, name);
  if (Object.hasOwn(value, name)) return toData((value as Record<string, unknown>)[name]);
  return name === 'length' ? Object.keys(value).length : null;
}

function listMember(list: readonly unknown[], name: string): unknown {
  return /^[0-9]{1,9}$/.test(name) ? toData(list[Number(name)]) : null;
}

/** `value[index]`: a position, counted from the end when negative, or a key. */
export function getElement(context: Context, value: unknown, index: unknown): unknown {
  if (typeof index === 'string') {
    return isObject(value) && !isBlockedKey(index) && Object.hasOwn(value, index)
      ? toData(value[index])
      : null;
  }
  if (typeof index !== 'number' || !Number.isInteger(index)) return null;
  if (Array.isArray(value)) return toData(value.at(index));
  if (typeof value === 'string') return getCharacter(context, value, index);
  return isObject(value) && Object.hasOwn(value, String(index)) ? toData(value[String(index)]) : null;
}

function getCharacter(context: Context, text: string, index: number): string | null {
  spendCharacters(context, text);
  const length = countCodePoints(text);
  const position = index < 0 ? index + length : index;
  return position >= 0 && position < length ? characterAt(text, position) : null;
}

/** `value[from:to:step]` of a text or list; null for anything else. */
export function sliceValue(context: Context, value: unknown, bounds: readonly unknown[]): unknown {
  const isText = typeof value === 'string';
  if (!isText && !Array.isArray(value)) return null;
  if (isText) spendCharacters(context, value);
  const items: readonly unknown[] = isText ? splitCharacters(value) : value;
  spend(context, items.length);
  const picked = sliceList(items, bounds);
  return isText ? produceText(context, picked.join('')) : picked;
}

function sliceList(items: readonly unknown[], bounds: readonly unknown[]): unknown[] {
  const step = toBound(bounds[2]) ?? 1;
  if (step === 0) throw new NoValue('The step of a slice cannot be zero.');
  const forward = step > 0;
  const lowest = forward ? 0 : -1;
  const highest = forward ? items.length : items.length - 1;
  const place = (bound: number | null, otherwise: number): number => {
    if (bound === null) return otherwise;
    return Math.max(lowest, Math.min(highest, bound < 0 ? bound + items.length : bound));
  };
  const from = place(toBound(bounds[0]), forward ? 0 : highest);
  const to = place(toBound(bounds[1]), forward ? highest : -1);
  if (step === 1) return items.slice(from, Math.max(from, to));
  const picked: unknown[] = [];
  for (let at = from; forward ? at < to : at > to; at += step) picked.push(items[at]);
  return picked;
}

function toBound(bound: unknown): number | null {
  if (bound === null || bound === undefined) return null;
  if (typeof bound === 'number' && Number.isInteger(bound)) return bound;
  throw new NoValue('The bounds of a slice must be whole numbers.');
}

/** The elements that a comprehension walks over. Throws NoValue for a value that has no elements. */
export function listElements(context: Context, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') {
    spend(context, value.length);
    return splitCharacters(value);
  }
  if (!isObject(value)) throw new NoValue('This value has no elements.');
  const keys = Object.keys(value);
  spend(context, keys.length);
  return keys;
}
