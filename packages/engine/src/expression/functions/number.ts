import { listElements } from '../evaluate/access.ts';
import { type Context, NoValue, produceList, spend, spendCharacters } from '../evaluate/context.ts';
import { getOperation } from '../evaluate/operators.ts';
import { ExpressionError } from '../limits.ts';
import { compareOrder, isTruthy } from '../values/compare.ts';
import { roundHalfEven } from '../values/round.ts';
import { isObject } from '../values/settle.ts';
import { countCodePoints } from '../values/unicode.ts';
import type { FunctionDefinition } from './definition.ts';

const add = getOperation('+');

function numberIn(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  throw new NoValue('Expected a number.');
}

function lengthIn(value: unknown): number {
  if (typeof value === 'string') return countCodePoints(value);
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw new NoValue('Only text, lists and objects have a length.');
}

/** The arguments, or the elements of a single one. */
function candidates(context: Context, values: readonly unknown[]): readonly unknown[] {
  const list = values.length === 1 ? listElements(context, values[0]) : values;
  if (list.length === 0) throw new NoValue('There is no value to choose from.');
  spend(context, list.length);
  return list;
}

function extreme(context: Context, values: readonly unknown[], sign: 1 | -1): unknown {
  return candidates(context, values).reduce((best, value) =>
    compareOrder(context, value, best) * sign > 0 ? value : best,
  );
}

function range(context: Context, values: readonly unknown[]): unknown[] {
  const [from, to, by = 1] = values.length === 1 ? [0, values[0]] : values;
  if (![from, to, by].every(Number.isSafeInteger)) {
    throw new ExpressionError('range', 'range(a, b, step) needs whole numbers.');
  }
  const start = Number(from);
  const step = Number(by);
  if (step === 0) throw new ExpressionError('range', 'range(a, b, step) needs a step other than 0.');
  const distance = Number(to) - start;
  if (Math.sign(distance) * step < 0) {
    const isStepGiven = values.length > 2;
    throw new ExpressionError(
      'range',
      isStepGiven
        ? `range(${start}, ${Number(to)}, ${step}) leads away from its end.`
        : `range(${start}, ${Number(to)}) runs backwards.`,
    );
  }
  const length = Math.ceil(distance / step);
  spend(context, length);
  return produceList(
    context,
    Array.from({ length }, (_, index) => start + index * step),
  );
}

function sorted(
  context: Context,
  values: readonly unknown[],
  named: ReadonlyMap<string, unknown>,
): unknown[] {
  const list = [...listElements(context, values[0])];
  spend(context, list.length);
  list.sort((left, right) => {
    spend(context, 4);
    return compareOrder(context, left, right);
  });
  return produceList(context, isTruthy(named.get('reverse')) ? list.reverse() : list);
}

function randomInt(context: Context, values: readonly unknown[]): number {
  const [min, max] = values.length === 1 ? [0, values[0]] : [values[0] ?? 0, values[1] ?? 100];
  const low = Math.ceil(numberIn(min));
  const high = Math.floor(numberIn(max));
  if (high < low) throw new NoValue('The smallest number is above the largest.');
  return Math.min(high, low + Math.floor(context.scope.random() * (high - low + 1)));
}

export const numberFunctions: Readonly<Record<string, FunctionDefinition>> = {
  len: {
    signature: 'len(value)',
    doc: 'Number of characters, elements or keys.',
    example: '$len($input.items)',
    call: (context, [value]) => {
      if (typeof value === 'string') spendCharacters(context, value);
      return lengthIn(value);
    },
  },
  abs: {
    signature: 'abs(number)',
    doc: 'Without the sign.',
    example: '$abs(-3)',
    call: (_, [value]) => Math.abs(numberIn(value)),
  },
  min: {
    signature: 'min(a, b, …)',
    doc: 'The smallest value of a list or of the arguments.',
    example: '$min($input.prices)',
    call: (context, values) => extreme(context, values, -1),
  },
  max: {
    signature: 'max(a, b, …)',
    doc: 'The largest value of a list or of the arguments.',
    example: '$max($input.prices)',
    call: (context, values) => extreme(context, values, 1),
  },
  round: {
    signature: 'round(number, digits?)',
    doc: 'Rounded; a half goes to the even neighbour, so round(2.5) is 2.',
    example: '$round($input.price, 2)',
    call: (context, [value, digits = 0]) => {
      spend(context, 60);
      return roundHalfEven(numberIn(value), digits === null ? 0 : numberIn(digits));
    },
  },
  sum: {
    signature: 'sum(list)',
    doc: 'The sum of numbers.',
    example: '$sum($input.prices)',
    call: (context, [list, start = 0]) => {
      const numbers = listElements(context, list);
      spend(context, numbers.length);
      return numbers.reduce((total, value) => add(context, total, numberIn(value)), start);
    },
  },
  sorted: {
    signature: 'sorted(list, reverse=false)',
    doc: 'A sorted copy of values that have one order.',
    example: '$sorted($input.prices)',
    call: sorted,
  },
  range: {
    signature: 'range(a, b, step=1)',
    doc: 'Whole numbers from a up to, but without, b, in steps. Fails the node when the steps lead away from b.',
    example: '$range(0, 3)',
    call: range,
  },
  rand: {
    signature: 'rand()',
    doc: 'A random number of at least 0 and less than 1.',
    example: '$rand()',
    call: (context) => context.scope.random(),
  },
  randint: {
    signature: 'randint(top)',
    doc: 'A random whole number of at least 0 and less than top.',
    example: '$randint(10)',
    call: (context, [top]) => Math.floor(context.scope.random() * numberIn(top)),
  },
  randomInt: {
    signature: 'randomInt(min?, max?)',
    doc: 'A random whole number, both ends included; 0 to 100 by default.',
    example: '$randomInt(1, 6)',
    call: randomInt,
  },
};
