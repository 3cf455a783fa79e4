import { and, asc, count, eq, gt, inArray, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../database/database.ts';
import { queryRows } from '../../../database/query-rows.ts';
import { dataTableKeys, dataTables, dataTableRows as rows } from '../../../database/schema/index.ts';
import type { Cells, StoredColumn } from './cells.ts';
import type { Order, RowRecord } from './order.ts';

/** Rows of one statement: so many take well under a second, and a statement may take ten. */
export const AT_ONCE = 2_000;

/** A list of any length as one parameter. */
const list = (values: readonly unknown[]): SQL => sql`${JSON.stringify(values)}::jsonb`;
const ids = (values: readonly string[]): SQL =>
  sql`(SELECT value::uuid FROM jsonb_array_elements_text(${list(values)}))`;
const of = (table_id: string, condition?: SQL) => and(eq(rows.table_id, table_id), condition);

export interface RowQuery {
  readonly table_id: string;
  readonly condition?: SQL | undefined;
  readonly order: Order;
  readonly after?: SQL | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export function selectRows(db: Db, query: RowQuery): Promise<RowRecord[]> {
  const { table_id, condition, order, after, limit, offset = 0 } = query;
  const found = db
    .select()
    .from(rows)
    .where(of(table_id, and(condition, after)))
    .orderBy(order.by)
    .offset(offset);
  return limit === undefined ? found : found.limit(limit);
}

export async function countRows(db: Db, table_id: string, condition: SQL): Promise<number> {
  const [found] = await db.select({ count: count() }).from(rows).where(of(table_id, condition));
  return found?.count ?? 0;
}

export async function rowById(db: Db, table_id: string, id: string): Promise<RowRecord | undefined> {
  const [row] = await db
    .select()
    .from(rows)
    .where(of(table_id, eq(rows.id, id)));
  return row;
}

export const rowsByIds = (db: Db, table_id: string, wanted: readonly string[]): Promise<RowRecord[]> =>
  db
    .select()
    .from(rows)
    .where(of(table_id, sql`${rows.id} IN ${ids(wanted)}`));

/** Oldest first, behind an id. */
export const rowsAfter = (
  db: Db,
  {
    table_id,
    after_id,
    limit = AT_ONCE,
  }: { table_id: string; after_id?: string | undefined; limit?: number },
): Promise<RowRecord[]> =>
  db
    .select()
    .from(rows)
    .where(of(table_id, after_id === undefined ? undefined : gt(rows.id, after_id)))
    .orderBy(asc(rows.id))
    .limit(limit);

export interface NewRow {
  readonly id: string;
  readonly cells: Cells;
}

interface Written {
  readonly table_id: string;
  readonly user_id: string;
  readonly at: Date;
}

/** @returns ids of the rows that are new; an id that is taken stays as it is */
export async function insertRows(
  db: Db,
  { table_id, user_id, at }: Written,
  added: readonly NewRow[],
): Promise<Set<string>> {
  const values = added.map(({ id, cells }) => ({ id, data: cells }));
  const made = await queryRows<{ id: string }>(
    db,
    sql`INSERT INTO ${rows} (table_id, id, data, created_by, updated_by, created_at, updated_at)
    SELECT ${table_id}::uuid, v.id, v.data, ${user_id}::uuid, ${user_id}::uuid,
      ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
    FROM jsonb_to_recordset(${list(values)}) AS v(id uuid, data jsonb)
    ON CONFLICT DO NOTHING RETURNING id`,
  );
  return new Set(made.map(({ id }) => id));
}

export async function updateRows(
  db: Db,
  { table_id, user_id, at }: Omit<Written, 'user_id'> & { readonly user_id: string | null },
  changed: readonly NewRow[],
): Promise<void> {
  const values = changed.map(({ id, cells }) => ({ id, data: cells }));
  const author = user_id === null ? sql`updated_by` : sql`${user_id}::uuid`;
  await db.execute(
    sql`UPDATE ${rows} AS r SET data = v.data, updated_at = ${at.toISOString()}::timestamptz, updated_by = ${author}
    FROM jsonb_to_recordset(${list(values)}) AS v(id uuid, data jsonb)
    WHERE r.table_id = ${table_id} AND r.id = v.id`,
  );
}

/** @returns ids of the rows that were there */
export async function deleteRows(db: Db, table_id: string, gone: readonly string[]): Promise<string[]> {
  const deleted = await db
    .delete(rows)
    .where(of(table_id, sql`${rows.id} IN ${ids(gone)}`))
    .returning({ id: rows.id });
  return deleted.map(({ id }) => id);
}

/** Deletes some rows, in no order, and returns how many; 0 when there are none left. */
export async function deleteSlice(db: Db, table_id: string): Promise<number> {
  const slice = db.select({ id: rows.id }).from(rows).where(of(table_id)).limit(AT_ONCE);
  const gone = await db
    .delete(rows)
    .where(of(table_id, inArray(rows.id, slice)))
    .returning({ id: rows.id });
  return gone.length;
}

export const addToCount = (db: Db, table_id: string, by: number) =>
  db
    .update(dataTables)
    .set({ row_count: sql`${dataTables.row_count} + ${by}` })
    .where(eq(dataTables.id, table_id));

type Unique = Pick<StoredColumn, 'id' | 'key'>;

/**
 * Claims the cells of unique columns for their rows; the index on them decides, also between concurrent writers.
 *
 * @returns ids of rows and columns whose cell another row has; of rows in one call the oldest keeps it
 */
export async function claimKeys(
  db: Db,
  table_id: string,
  { columns, row_ids }: { columns: readonly Unique[]; row_ids: readonly string[] },
): Promise<{ row_id: string; column_id: string }[]> {
  if (columns.length === 0 || row_ids.length === 0) return [];
  const wanted = columns.map(({ id, key }) => ({ column_id: id, key }));
  return queryRows(
    db,
    sql`WITH wanted AS (
      SELECT c.column_id, encode(sha256(convert_to(r.data ->> c.key, 'UTF8')), 'hex') AS key, r.id AS row_id
      FROM ${rows} r CROSS JOIN jsonb_to_recordset(${list(wanted)}) AS c(column_id uuid, key text)
      WHERE r.table_id = ${table_id} AND r.id IN ${ids(row_ids)} AND r.data ->> c.key IS NOT NULL
    ), made AS (
      INSERT INTO ${dataTableKeys} (column_id, key, table_id, row_id)
      SELECT column_id, key, ${table_id}::uuid, row_id FROM wanted ORDER BY column_id, row_id
      ON CONFLICT DO NOTHING RETURNING column_id, row_id
    )
    SELECT w.row_id, w.column_id FROM wanted w
    LEFT JOIN made m ON m.column_id = w.column_id AND m.row_id = w.row_id WHERE m.row_id IS NULL`,
  );
}

/** Frees the cells of some rows in unique columns. */
export async function freeKeys(
  db: Db,
  table_id: string,
  { columns, row_ids }: { columns: readonly Unique[]; row_ids: readonly string[] },
): Promise<void> {
  if (columns.length === 0) return;
  await db.delete(dataTableKeys).where(
    and(
      eq(dataTableKeys.table_id, table_id),
      inArray(
        dataTableKeys.column_id,
        columns.map(({ id }) => id),
      ),
      sql`${dataTableKeys.row_id} IN ${ids(row_ids)}`,
    ),
  );
}
