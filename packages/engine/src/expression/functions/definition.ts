import type { Context } from '../evaluate/context.ts';
import { ExpressionError } from '../limits.ts';

/** A function of the language. Throws NoValue when it has no result for its arguments. */
export interface FunctionDefinition {
  /** As shown in completion, for example `round(x, digits?)`. */
  readonly signature: string;
  /** One sentence. */
  readonly doc: string;
  readonly example: string;
  readonly aliases?: readonly string[];
  call(context: Context, values: readonly unknown[], named: ReadonlyMap<string, unknown>): unknown;
}

/** A method or property of one type of value. Null stands for "no result". */
export interface MethodDefinition<T> {
  readonly signature: string;
  readonly doc: string;
  readonly example: string;
  readonly aliases?: readonly string[];
  /** Read without parentheses. */
  readonly property?: boolean;
  call(context: Context, self: T, values: readonly unknown[]): unknown;
}

/** Looks definitions up by name, alias and snake_case form of the name. */
export function indexByName<T extends { readonly aliases?: readonly string[] }>(
  definitions: Readonly<Record<string, T>>,
): ReadonlyMap<string, T> {
  const byName = new Map<string, T>();
  for (const [name, definition] of Object.entries(definitions)) {
    for (const known of [name, snakeCase(name), ...(definition.aliases ?? [])]) byName.set(known, definition);
  }
  return byName;
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`).replace(/^_/, '');
}

/** The text that a function needs. Throws ExpressionError `argument` for anything else. */
export function textArgument(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ExpressionError('argument', `${name}() needs a text.`);
}
