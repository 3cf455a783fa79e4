import type { DataRow } from '@millrace/contracts';
import { isJsonObject, type Json } from '@millrace/engine';
import { invalidField, notFound } from '../../../core/app-error.ts';
import type { Needs } from '../../../services.ts';
import { requireVisible } from '../access.ts';
import { storedColumns } from '../columns.ts';
import type { StoredColumn } from './cells.ts';
import { toData } from './cells.ts';
import { buildCondition, QueryError } from './filter.ts';
import type { RowRecord } from './order.ts';
import { parseOrder } from './order.ts';
import * as queries from './queries.ts';

export type RowReader = Needs<'db'> & { readonly actor: { readonly user_id: string } };
type Filter = Readonly<Record<string, Json>>;

export const rowRecord = (columns: readonly StoredColumn[], row: RowRecord): DataRow => ({
  id: row.id,
  table_id: row.table_id,
  data: toData(columns, row.data) as DataRow['data'],
  created_by: row.created_by,
  updated_by: row.updated_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** Reports a caller's mistake as a 422 of the field. */
function checked<T>(loc: [string, string], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof QueryError) throw invalidField(loc, error.message);
    throw error;
  }
}

function parsedFilter(text: string | undefined): Filter {
  if (text === undefined || text.trim() === '') return {};
  try {
    const filter: unknown = JSON.parse(text);
    if (isJsonObject(filter)) return filter;
  } catch {
    // Refused below, like JSON of another kind.
  }
  throw invalidField(['query', 'filter'], 'is no JSON object such as {"name": "Ada"}');
}

export async function listRows(
  ctx: RowReader,
  id: string,
  query: { limit: number; offset: number; filter?: string | undefined; sort?: string | undefined },
): Promise<DataRow[]> {
  const { table } = await requireVisible(ctx, id);
  const columns = storedColumns(table.columns);
  const filter = parsedFilter(query.filter);
  const condition = checked(['query', 'filter'], () => buildCondition(columns, filter));
  const order = checked(['query', 'sort'], () => parseOrder(columns, query.sort ?? ''));
  const rows = await queries.selectRows(ctx.db, {
    table_id: id,
    condition,
    order,
    limit: query.limit,
    offset: query.offset,
  });
  return rows.map((row) => rowRecord(columns, row));
}

interface PageQuery {
  readonly filter?: Filter | null | undefined;
  readonly sort?: string | null | undefined;
  readonly limit: number;
  readonly cursor?: string | null | undefined;
}

/** One page and the place where the next begins, without counting. */
export async function loadPage(
  ctx: RowReader,
  id: string,
  { filter, sort, limit, cursor }: PageQuery,
): Promise<{ rows: DataRow[]; next_cursor: string | null }> {
  const { table } = await requireVisible(ctx, id);
  const columns = storedColumns(table.columns);
  const condition = checked(['body', 'filter'], () => buildCondition(columns, filter ?? {}));
  const order = checked(['body', 'sort'], () => parseOrder(columns, sort ?? ''));
  const after = cursor ? checked(['body', 'cursor'], () => order.after(cursor)) : undefined;
  const found = await queries.selectRows(ctx.db, { table_id: id, condition, order, after, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return {
    rows: rows.map((row) => rowRecord(columns, row)),
    next_cursor: found.length > limit && last ? order.toCursor(last) : null,
  };
}

export async function countRows(ctx: RowReader, id: string, filter: Filter): Promise<number> {
  const { table } = await requireVisible(ctx, id);
  const condition = checked(['body', 'filter'], () => buildCondition(storedColumns(table.columns), filter));
  return condition === undefined ? table.row_count : queries.countRows(ctx.db, id, condition);
}

export async function queryRows(
  ctx: RowReader,
  id: string,
  query: PageQuery,
): Promise<{ rows: DataRow[]; next_cursor: string | null; total: number | null }> {
  const page = await loadPage(ctx, id, query);
  return { ...page, total: query.cursor ? null : await countRows(ctx, id, query.filter ?? {}) };
}

/** Undefined when the table has no such row. */
export async function findRow(ctx: RowReader, id: string, row_id: string): Promise<DataRow | undefined> {
  const { table } = await requireVisible(ctx, id);
  const row = await queries.rowById(ctx.db, id, row_id);
  return row && rowRecord(storedColumns(table.columns), row);
}

export async function readRow(ctx: RowReader, id: string, row_id: string): Promise<DataRow> {
  const row = await findRow(ctx, id, row_id);
  if (!row) throw notFound('Row');
  return row;
}
