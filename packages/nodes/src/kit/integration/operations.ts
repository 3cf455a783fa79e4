import { type Effect, type FieldMeta, field, fieldMeta, type JsonObject } from '@millrace/engine';
import { z } from 'zod';

/** One thing that a node of several operations can do. */
export interface Operation {
  readonly title: string;
  readonly effect: Effect;
  /** Parameters that its form shows, in the order in which the node declares them. */
  readonly fields: readonly string[];
  /** False: accepted from imports only, and fails with a reason. Forms do not offer it. */
  readonly is_offered?: boolean;
}

interface OperationsInput<K extends string, O extends string, F extends Record<string, z.ZodType>> {
  /** Parameter that holds the operation. */
  readonly key: K;
  readonly initial: NoInfer<O>;
  readonly operations: Readonly<Record<O, Operation>>;
  /** Parameters of all operations; those that no operation names are always shown. */
  readonly fields: F;
}

type OperationParams<K extends string, O extends string> = {
  readonly [key in K]: z.ZodDefault<z.ZodEnum<{ [name in O]: name }>>;
} & { readonly onUnknownOutcome: z.ZodDefault<z.ZodEnum<{ fail: 'fail'; repeat: 'repeat' }>> };

/**
 * Parameters and effect of a node with operations: a choice of them, their fields each shown where an operation uses it,
 * and for those that must not be repeated what a crash in the middle means.
 */
export function defineOperations<
  const K extends string,
  const O extends string,
  F extends Record<string, z.ZodType>,
>({ key, initial, operations, fields }: OperationsInput<K, O, F>) {
  const entries = Object.entries<Operation>(operations);
  const names = entries.map(([name]) => name);
  // One of steps may have a step that must not be repeated.
  const unsafe = entries
    .filter(([, { effect }]) => effect === 'unsafe' || effect === 'steps')
    .map(([name]) => name);
  const choice = field
    .custom(z.enum(names), 'Operation', {
      kind: 'operation',
      choices: entries
        .filter(([, { is_offered = true }]) => is_offered)
        .map(([value, { title, effect }]) => ({ value, title, effect })),
    })
    .default(initial);
  const shown = Object.entries(fields).map(([name, schema]): [string, z.ZodType] => {
    const users = entries.filter(([, operation]) => operation.fields.includes(name)).map(([user]) => user);
    return [name, users.length === 0 ? schema : shownFor(schema, { field: key, is: users })];
  });
  const params = {
    [key]: choice,
    ...Object.fromEntries(shown),
    onUnknownOutcome: shownFor(unknownOutcome(), { field: key, is: unsafe }),
  };
  return {
    params: inferred<OperationParams<K, O> & F>(params),
    effect: (data: JsonObject): Effect => {
      const name = typeof data[key] === 'string' ? data[key] : initial;
      const effect = Object.hasOwn(operations, name) ? operations[name as O].effect : 'unsafe';
      return effect === 'unsafe' && data['onUnknownOutcome'] === 'repeat' ? 'idempotent' : effect;
    },
  };
}

/** Guarantee: built from the same entries, key by key, that the type lists. */
function inferred<T>(params: Record<string, z.ZodType>): T {
  return params as unknown as T;
}

/** The choice of what a crash between sending and noting the answer means; for operations that may not be done twice. */
export const unknownOutcome = () =>
  field
    .choice('When a crash leaves the outcome unknown', ['fail', 'repeat'], {
      choices: [
        { value: 'fail', title: 'Fail the node' },
        { value: 'repeat', title: 'Do it again' },
      ],
      help: 'Doing it again may do the work twice.',
    })
    .default('fail');

/** The schema with one more condition under which its field is shown. */
export function shownFor<S extends z.ZodType>(
  schema: S,
  condition: { readonly field: string; readonly is: readonly unknown[] },
): S {
  const meta = fieldMeta(schema);
  if (!meta) return schema;
  const next: FieldMeta = { ...meta, shown_when: [...(meta.shown_when ?? []), condition] };
  return schema.meta({ field: next });
}
