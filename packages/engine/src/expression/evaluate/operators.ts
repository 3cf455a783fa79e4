import { isBlockedKey } from '../../json.ts';
import { DateValue } from '../dates/date-value.ts';
import type { BinaryOperator, CompareOperator } from '../syntax/ast.ts';
import { compareOrder, isEqual, typeName } from '../values/compare.ts';
import { isObject } from '../values/settle.ts';
import { textIn } from '../values/text.ts';
import { type Context, NoValue, produceList, spend, spendText } from './context.ts';

/** Throws NoValue when the operands have no such operation. */
export type Operation = (context: Context, left: unknown, right: unknown) => unknown;

export function getOperation(operator: BinaryOperator): Operation {
  switch (operator) {
    case '+':
      return add;
    case '-':
      return (_, left, right) => finite(toNumber(left) - toNumber(right));
    case '*':
      return multiply;
    case '/':
      return (_, left, right) => finite(toNumber(left) / toDivisor(right));
    case '//':
      return (_, left, right) => finite(Math.floor(toNumber(left) / toDivisor(right)));
    case '%':
      return (_, left, right) => remainder(toNumber(left), toDivisor(right));
    case '**':
      return (_, left, right) => finite(toNumber(left) ** toNumber(right));
    default: {
      const never: never = operator;
      return never;
    }
  }
}

function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  throw new NoValue(`Expected a number, found ${typeName(value)}.`);
}

function toDivisor(value: unknown): number {
  const divisor = toNumber(value);
  if (divisor === 0) throw new NoValue('Division by zero.');
  return divisor;
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new NoValue('The result is not a finite number.');
}

/** The sign follows the divisor, as in the original dialect: -7 % 3 is 2. */
function remainder(left: number, right: number): number {
  const rest = left % right;
  return finite(rest !== 0 && rest < 0 !== right < 0 ? rest + right : rest);
}

/** Numbers add, lists join, and text takes the text of any other operand except null. */
function add(context: Context, left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return finite(left + right);
  if (typeof left === 'string' || typeof right === 'string') {
    if (left === null || right === null) throw new NoValue('Expected text, found null.');
    const joined = textIn(context, left) + textIn(context, right);
    spendText(context, joined.length);
    return joined;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    spend(context, left.length + right.length);
    return produceList(context, [...left, ...right]);
  }
  return finite(toNumber(left) + toNumber(right));
}

function multiply(context: Context, left: unknown, right: unknown): unknown {
  if (typeof left === 'string' && typeof right === 'number') return repeat(context, left, right);
  if (typeof left === 'number' && typeof right === 'string') return repeat(context, right, left);
  return finite(toNumber(left) * toNumber(right));
}

function repeat(context: Context, text: string, count: number): string {
  if (!Number.isInteger(count)) throw new NoValue('A text can only be repeated a whole number of times.');
  const times = Math.max(0, count);
  spendText(context, text.length * times);
  return text.repeat(times);
}

export function getComparison(
  operator: CompareOperator,
): (context: Context, left: unknown, right: unknown) => boolean {
  switch (operator) {
    case '==':
      return isEqual;
    case '!=':
      return (context, left, right) => !isEqual(context, left, right);
    case '<':
      return (context, left, right) => compareOrder(context, left, right) < 0;
    case '<=':
      return (context, left, right) => compareOrder(context, left, right) <= 0;
    case '>':
      return (context, left, right) =>
        typeof left === 'number' && typeof right === 'number'
          ? left > right
          : compareOrder(context, left, right) > 0;
    case '>=':
      return (context, left, right) => compareOrder(context, left, right) >= 0;
    case 'in':
      return isIn;
    case 'not in':
      return (context, left, right) => !isIn(context, left, right);
    case 'is':
      return isSame;
    case 'is not':
      return (context, left, right) => !isSame(context, left, right);
    default: {
      const never: never = operator;
      return never;
    }
  }
}

/** Unlike equal values, the same one is also of the same kind: true equals 1 without being it. */
function isSame(context: Context, left: unknown, right: unknown): boolean {
  return typeof left === typeof right && isEqual(context, left, right);
}

function isIn(context: Context, wanted: unknown, container: unknown): boolean {
  if (typeof container === 'string') {
    if (typeof wanted !== 'string') throw new NoValue(`A text contains text, not ${typeName(wanted)}.`);
    spendText(context, container.length);
    return container.includes(wanted);
  }
  if (Array.isArray(container)) return listContains(context, container, wanted);
  if (isObject(container)) {
    return typeof wanted === 'string' && !isBlockedKey(wanted) && Object.hasOwn(container, wanted);
  }
  const kind = container instanceof DateValue ? 'date' : typeName(container);
  throw new NoValue(`Nothing can be in ${kind}.`);
}

export function listContains(context: Context, list: readonly unknown[], wanted: unknown): boolean {
  spend(context, 1 + list.length);
  return list.some((item) => isEqual(context, item, wanted));
}
