import { isBlockedKey } from '../../json.ts';
import { DateValue, isoText } from '../dates/date-value.ts';
import { type Context, spend } from '../evaluate/context.ts';
import { CHARACTERS_PER_STEP, ExpressionError, MAX_VALUE_DEPTH } from '../limits.ts';

export type PlainObject = Record<string, unknown>;

/** An object without prototype: the only kind that expressions create. */
export function emptyObject(): PlainObject {
  return Object.create(null) as PlainObject;
}

export function isObject(value: unknown): value is PlainObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof DateValue)
  );
}

/** False for instances of classes: such an object is no data and is treated as null. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Array.isArray(value);
}

/** The value as it leaves an evaluation: plain JSON data, dates as ISO text, null for all that JSON does not have. */
export function finish(context: Context, value: unknown): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return finite(value);
    case 'object':
      if (value === null) return null;
      if (context.built) return settle(context, value);
      return isPlain(value) ? value : null;
    default:
      return null;
  }
}

/** JSON has neither infinities nor a negative zero. */
function finite(value: number): number | null {
  if (!Number.isFinite(value)) return null;
  return value === 0 ? 0 : value;
}

/** Copies only where something has to change. Pays for every part, so a value cannot explode when written. */
export function settle(context: Context, value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      spend(context, 1 + value.length / CHARACTERS_PER_STEP);
      return value;
    case 'boolean':
      spend(context, 1);
      return value;
    case 'number':
      spend(context, 1);
      return finite(value);
    case 'object':
      spend(context, 1);
      return value === null ? null : settleObject(context, value, depth);
    default:
      return null;
  }
}

function settleObject(context: Context, value: object, depth: number): unknown {
  if (depth > MAX_VALUE_DEPTH) throw new ExpressionError('too_deep', 'This value is nested too deeply.');
  if (Array.isArray(value)) return settleList(context, value, depth);
  if (value instanceof DateValue) return isoText(value);
  return isPlain(value) ? settleEntries(context, value as PlainObject, depth) : null;
}

function settleList(context: Context, list: unknown[], depth: number): unknown[] {
  let copy: unknown[] | null = null;
  for (let index = 0; index < list.length; index++) {
    const settled = settle(context, list[index], depth + 1);
    if (Object.is(settled, list[index])) continue;
    copy ??= list.slice();
    copy[index] = settled;
  }
  return copy ?? list;
}

function settleEntries(context: Context, object: PlainObject, depth: number): PlainObject {
  let copy: PlainObject | null = null;
  for (const key of Object.keys(object)) {
    spend(context, 1 + key.length / CHARACTERS_PER_STEP);
    const settled = settle(context, object[key], depth + 1);
    if (Object.is(settled, object[key])) continue;
    copy ??= Object.assign(emptyObject(), object);
    copy[key] = settled;
  }
  return copy ?? object;
}

/** Copies parsed JSON into objects of our own, without blocked keys. */
export function adopt(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_VALUE_DEPTH) {
    return typeof value === 'object' ? null : value;
  }
  if (Array.isArray(value)) return value.map((item) => adopt(item, depth + 1));
  const copy = emptyObject();
  for (const key of Object.keys(value)) {
    if (!isBlockedKey(key)) copy[key] = adopt((value as PlainObject)[key], depth + 1);
  }
  return copy;
}
