import { type Context, produceText, spend } from '../evaluate/context.ts';
import { indexByName, type MethodDefinition } from '../functions/definition.ts';
import { ExpressionError } from '../limits.ts';
import { textIn } from '../values/text.ts';

type ScalarMethod = MethodDefinition<unknown>;

/** Text with a fixed number of decimals. Throws ExpressionError `argument` for a number of decimals that none can have. */
function fixedDecimals(context: Context, self: unknown, [digits = 0]: readonly unknown[]): string | null {
  if (typeof self !== 'number') return null;
  if (typeof digits !== 'number' || !(digits > -1 && digits < 101))
    throw new ExpressionError('argument', 'toFixed() needs a number of decimals from 0 to 100.');
  spend(context, 20);
  return produceText(context, self.toFixed(digits));
}

/** Whether a whole number leaves that rest when it is halved. */
const halved =
  (rest: number): ScalarMethod['call'] =>
  (_, self) =>
    Number.isInteger(self) ? Math.abs(Number(self) % 2) === rest : null;

/** Methods of every value, null included. */
export const anyMethods: Readonly<Record<string, MethodDefinition<unknown>>> = {
  orEmpty: {
    signature: 'orEmpty()',
    doc: 'The value, or an empty text when it is null.',
    example: '$input.text.orEmpty()',
    call: (_, self) => self ?? '',
  },
};

/** Methods of numbers and booleans. */
export const scalarMethods: Readonly<Record<string, MethodDefinition<unknown>>> = {
  toString: {
    signature: 'toString()',
    doc: 'The value as text; booleans in lower case.',
    example: '$input.count.toString()',
    call: (context: Context, self: unknown) =>
      typeof self === 'boolean' ? String(self) : textIn(context, self),
  },
  toFixed: {
    signature: 'toFixed(digits?)',
    doc: 'Text of a number with that many decimals, rounded as JavaScript does.',
    example: '$input.price.toFixed(1)',
    call: fixedDecimals,
  },
  isEven: {
    signature: 'isEven()',
    doc: 'True for an even whole number; null for anything that is not a whole number.',
    example: '$input.count.isEven()',
    call: halved(0),
  },
  isOdd: {
    signature: 'isOdd()',
    doc: 'True for an odd whole number; null for anything that is not a whole number.',
    example: '$input.count.isOdd()',
    call: halved(1),
  },
};

export const anyMethodsByName = indexByName(anyMethods);
export const scalarMethodsByName = indexByName(scalarMethods);
