import { isBlockedKey } from '../../json.ts';
import { DateValue } from '../dates/date-value.ts';
import type { Context } from '../evaluate/context.ts';
import type { MethodDefinition } from '../functions/definition.ts';
import { anyMethodsByName, scalarMethodsByName } from './any.ts';
import { dateMethodNamed, dateMethods } from './date.ts';
import { listMethodsByName } from './list.ts';
import { objectMethodsByName } from './object.ts';
import { stringMethodsByName } from './string.ts';

/** Calls `value.name(...)`: null for null, for unknown methods and where data hides the method. */
export type MethodCall = (context: Context, value: unknown, values: readonly unknown[]) => unknown;

/** Looks a method up once for every type of receiver. */
export function methodNamed(name: string): MethodCall {
  if (isBlockedKey(name)) return () => null;
  const any = anyMethodsByName.get(name);
  const onText = callable(stringMethodsByName.get(name)) ?? any;
  const onList = callable(listMethodsByName.get(name)) ?? any;
  const onObject = callable(objectMethodsByName.get(name)) ?? any;
  const onDate = dateMethodNamed(name) ?? any;
  const onNull = name === 'orEmpty' || name === 'or_empty' ? any : undefined;
  const onScalar = scalarMethodsByName.get(name) ?? any;
  return (context, value, values) => {
    if (typeof value === 'string') return onText?.call(context, value, values) ?? null;
    if (typeof value !== 'object') return onScalar?.call(context, value, values) ?? null;
    if (Array.isArray(value)) return onList?.call(context, value, values) ?? null;
    if (value === null) return onNull?.call(context, value, values) ?? null;
    if (value instanceof DateValue) return onDate?.call(context, value, values) ?? null;
    if (Object.hasOwn(value, name)) return null;
    return onObject?.call(context, value, values) ?? null;
  };
}

const tables = [
  stringMethodsByName,
  listMethodsByName,
  objectMethodsByName,
  scalarMethodsByName,
  anyMethodsByName,
];

/** Names of all methods of all types, without their snake_case forms. */
export const methodNames: readonly string[] = [
  ...new Set([...tables.flatMap((table) => [...table.keys()]), ...Object.keys(dateMethods)]),
].filter((name) => !name.includes('_'));

/** True for every method and property name of any type. */
export function isKnownMethod(name: string): boolean {
  return tables.some((table) => table.has(name)) || dateMethodNamed(name) !== undefined;
}

function callable<T>(method: MethodDefinition<T> | undefined): MethodDefinition<T> | undefined {
  return method?.property === true ? undefined : method;
}
