import { ExpressionError } from '../limits.ts';
import { type Context, NoValue, spend } from './context.ts';

/** An item expression, ready to be called with one element after the other. Never a value of the language. */
export class ItemFunction {
  readonly #evaluate: (context: Context, element: unknown) => unknown;
  readonly #price: number;

  constructor(evaluate: (context: Context, element: unknown) => unknown, size: number) {
    this.#evaluate = evaluate;
    this.#price = size + 1;
  }

  /** The value for one element; null when the expression fails for it. */
  call(context: Context, element: unknown): unknown {
    spend(context, this.#price);
    try {
      return this.#evaluate(context, element ?? null);
    } catch (error) {
      if (!(error instanceof NoValue || isRefusedArgument(error))) throw error;
      spend(context, 50);
      return null;
    }
  }
}

/** One element that a function refuses does not fail the whole list. */
function isRefusedArgument(error: unknown): boolean {
  return error instanceof ExpressionError && error.code === 'argument';
}
