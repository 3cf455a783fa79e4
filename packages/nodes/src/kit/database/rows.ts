import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { readCount, readJson, readList, readObject, requiredText } from '../integration/object-input.ts';
import { refusedParam } from '../refused-param.ts';
import { DATA, MOST_ROWS } from './fields.ts';
import type { Statement } from './sql.ts';

type Params = Readonly<Record<string, unknown>>;

/** The filter of the parameter `where`: values by column. */
export function whereIn(params: Params): JsonObject {
  const where = readJson(params, 'where') ?? {};
  if (isJsonObject(where)) return where;
  throw refusedParam('where', 'must be a JSON object such as {"status": "open"}');
}

/** A change of every row of a table is never meant by a filter that turned out empty. */
export function requiredWhere(params: Params): JsonObject {
  const where = whereIn(params);
  if (Object.keys(where).length > 0) return where;
  throw refusedParam('where', 'must not be empty; it names the rows that are changed');
}

/** Rows of a pair of parameters made by `objectFields`: one, or a list of them as JSON. */
export function rowsIn(
  params: Params,
  names: { readonly mode: string; readonly raw: string; readonly selective: string },
): JsonObject[] {
  const isSelective = params[names.mode] === 'selective';
  const value = isSelective ? readObject(params, names) : readJson(params, names.raw);
  const rows = Array.isArray(value) ? value : [value ?? null];
  const isRow = (row: Json): row is JsonObject => isJsonObject(row) && Object.keys(row).length > 0;
  if (rows.length > 0 && rows.every(isRow)) return rows;
  throw refusedParam(names.raw, 'must be an object or a list of objects with at least one column');
}

/** The values of the parameter pair `DATA` for rows that are changed. */
export function valuesIn(params: Params): JsonObject {
  const values = readObject(params, DATA);
  if (Object.keys(values).length > 0) return values;
  throw refusedParam(DATA.raw, 'must have at least one column');
}

/** The query and its parameters, as the node has them. */
export const queryIn = (params: Params): Statement => ({
  text: requiredText(params, 'query').replace(/;\s*$/, ''),
  values: readList({ queryParameters: params['queryParameters'] || '[]' }, 'queryParameters'),
});

export const limitIn = (params: Params): number =>
  readCount(params, 'limit', { most: MOST_ROWS, usual: 100 });
