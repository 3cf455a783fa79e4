import { field, isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { refusedParam } from '../refused-param.ts';
import { parsedJson } from '../text/parsed-json.ts';
import { mappedObject } from '../values/mapped-object.ts';
import { shownFor } from './operations.ts';

interface ObjectFields<M extends string, R extends string, S extends string> {
  /** Parameter that chooses between the two; exports write `raw` and `selective`. */
  readonly mode: M;
  readonly raw: R;
  readonly selective: S;
  readonly title: string;
  readonly help?: string;
}

/** Parameters of an object that is either written as JSON or put together field by field. */
export function objectFields<const M extends string, const R extends string, const S extends string>({
  mode,
  raw,
  selective,
  title,
  help,
}: ObjectFields<M, R, S>) {
  const more = help === undefined ? {} : { help };
  const fields = {
    [mode]: field
      .choice(`${title}: input`, ['raw', 'selective'], {
        choices: [
          { value: 'raw', title: 'As JSON' },
          { value: 'selective', title: 'Field by field' },
        ],
      })
      .default('raw'),
    [raw]: shownFor(field.value(title, { kind: 'json', ...more }).default('{}'), {
      field: mode,
      is: ['raw'],
    }),
    [selective]: shownFor(field.mappings(`${title}: fields`, more).default([]), {
      field: mode,
      is: ['selective'],
    }),
  };
  return fields as {
    readonly [key in M]: (typeof fields)[M];
  } & { readonly [key in R | S]: (typeof fields)[R] };
}

type Params = Readonly<Record<string, unknown>>;

/** The object of a pair of parameters made by `objectFields`. Fields of exports without rows are read from the JSON. */
export function readObject(
  params: Params,
  { mode, raw, selective }: Pick<ObjectFields<string, string, string>, 'mode' | 'raw' | 'selective'>,
): JsonObject {
  const rows = params[selective];
  if (params[mode] === 'selective' && Array.isArray(rows) && rows.length > 0) {
    return mappedObject(rows as { key: string; value: unknown }[], selective);
  }
  const value = readJson(params, raw);
  if (isJsonObject(value)) return value;
  throw refusedParam(raw, 'must be a JSON object such as {"name": "Ada"}');
}

/** The objects of a list parameter. */
export function readList(params: Params, name: string): Json[] {
  const value = readJson(params, name);
  if (Array.isArray(value)) return value;
  throw refusedParam(name, 'must be a JSON list such as [1, 2]');
}

/** A parameter that is JSON: a value of an expression as it is, a text as it reads. Empty is undefined. */
export function readJson(params: Params, name: string): Json | undefined {
  const value = params[name] as Json | undefined;
  if (typeof value !== 'string') return value ?? undefined;
  if (value.trim() === '') return undefined;
  const parsed = parsedJson(value);
  if (parsed === undefined) throw refusedParam(name, 'is not valid JSON');
  return parsed;
}

/** The text of a parameter that a call cannot do without, after its expressions are evaluated. */
export function requiredText(params: Params, name: string): string {
  const value = params[name];
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
  if (text !== '') return text;
  throw refusedParam(name, 'is empty; enter a value or check its expression');
}

/** A whole number within bounds out of a text field, as exports write limits. */
export function readCount(
  params: Params,
  name: string,
  { most, usual }: { most: number; usual: number },
): number {
  const value = params[name];
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  if (text === '') return usual;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count === 0 ? most : Math.min(count, most);
  throw refusedParam(name, `must be a whole number, not "${text.slice(0, 40)}"`);
}
