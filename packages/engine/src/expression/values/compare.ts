import { compareDates, DateValue } from '../dates/date-value.ts';
import { type Context, NoValue, spend } from '../evaluate/context.ts';
import { CHARACTERS_PER_STEP, ExpressionError, MAX_VALUE_DEPTH } from '../limits.ts';
import { isObject } from './settle.ts';

/** `"" 0 [] {} null false` are false, everything else is true. */
export function isTruthy(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return value !== '';
    case 'number':
      return value !== 0 && !Number.isNaN(value);
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return false;
      if (Array.isArray(value)) return value.length > 0;
      return value instanceof DateValue || Object.keys(value).length > 0;
    default:
      return false;
  }
}

/** Equality by value; `"42" == 42` is false, and `true == 1` is true as in the original dialect. */
export function isEqual(context: Context, left: unknown, right: unknown, depth = 0): boolean {
  if (left === right) return true;
  if (typeof left === 'boolean' && typeof right === 'number') return Number(left) === right;
  if (typeof left === 'number' && typeof right === 'boolean') return left === Number(right);
  if (typeof left === 'string' && typeof right === 'string') {
    spend(context, Math.min(left.length, right.length) / CHARACTERS_PER_STEP);
    return false;
  }
  if (typeof left !== 'object' || typeof right !== 'object') return isNothing(left) && isNothing(right);
  return left !== null && right !== null && isEqualObject(context, { left, right, depth });
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

interface Pair {
  readonly left: object;
  readonly right: object;
  readonly depth: number;
}

function isEqualObject(context: Context, { left, right, depth }: Pair): boolean {
  if (depth > MAX_VALUE_DEPTH) throw new ExpressionError('too_deep', 'These values are nested too deeply.');
  spend(context, 2);
  if (left instanceof DateValue) return right instanceof DateValue && compareDates(left, right) === 0;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => isEqual(context, item, right[index], depth + 1));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  spend(context, keys.length);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isEqual(context, left[key], right[key], depth + 1));
}

/** Below zero, zero or above for values that have an order. Throws NoValue for others. */
export function compareOrder(context: Context, left: unknown, right: unknown, depth = 0): number {
  if (isNumeric(left) && isNumeric(right)) return Number(left) - Number(right);
  if (typeof left === 'string' && typeof right === 'string') {
    spend(context, Math.min(left.length, right.length) / CHARACTERS_PER_STEP);
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (left instanceof DateValue && right instanceof DateValue) return compareDates(left, right);
  if (Array.isArray(left) && Array.isArray(right) && depth < MAX_VALUE_DEPTH) {
    return compareLists(context, { left, right, depth });
  }
  throw new NoValue(`${typeName(left)} and ${typeName(right)} have no order.`);
}

function compareLists(context: Context, pair: { left: unknown[]; right: unknown[]; depth: number }): number {
  const { left, right, depth } = pair;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    spend(context, 1);
    if (isEqual(context, left[index], right[index], depth + 1)) continue;
    return compareOrder(context, left[index], right[index], depth + 1);
  }
  return left.length - right.length;
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

export type ValueType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | 'date';

export function typeName(value: unknown): ValueType {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value as 'string' | 'number' | 'boolean';
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return 'array';
      return value instanceof DateValue ? 'date' : 'object';
    default:
      return 'null';
  }
}
