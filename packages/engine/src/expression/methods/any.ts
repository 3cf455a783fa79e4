import type { Context } from '../evaluate/context.ts';
import { indexByName, type MethodDefinition } from '../functions/definition.ts';
import { textIn } from '../values/text.ts';

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
};

export const anyMethodsByName = indexByName(anyMethods);
export const scalarMethodsByName = indexByName(scalarMethods);
