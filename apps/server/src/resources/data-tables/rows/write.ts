import type { DataImport, DataRow } from '@millrace/contracts';
import type { Json } from '@millrace/engine';
import { AppError, conflict, invalidField, notFound } from '../../../core/app-error.ts';
import { newOrderedId } from '../../../core/ids.ts';
import type { Db } from '../../../database/database.ts';
import type { Needs } from '../../../services.ts';
import { lockWritable } from '../access.ts';
import { storedColumns } from '../columns.ts';
import type { StoredColumn } from './cells.ts';
import { type CellProblem, toCells } from './cells.ts';
import { buildCondition, QueryError } from './filter.ts';
import type { RowRecord } from './order.ts';
import { parseOrder } from './order.ts';
import * as queries from './queries.ts';
import { rowRecord } from './read.ts';

export type RowWriter = Needs<'db' | 'now'> & { readonly actor: { readonly user_id: string } };
type Data = Readonly<Record<string, unknown>>;

/** A table whose lock a transaction holds: everything below runs inside it. */
export interface OpenTable {
  readonly db: Db;
  readonly table_id: string;
  readonly columns: readonly StoredColumn[];
  readonly user_id: string;
  readonly at: Date;
}

/** Runs `work` in a transaction that alone writes to the table, if the caller may. */
export function writing<T>(
  ctx: RowWriter,
  table_id: string,
  work: (table: OpenTable, name: { name: string; owner_id: string }) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction(async (tx) => {
    const { table } = await lockWritable({ ...ctx, db: tx }, table_id);
    const columns = storedColumns(table.columns);
    const at = new Date(ctx.now());
    return work({ db: tx, table_id, columns, user_id: ctx.actor.user_id, at }, table);
  });
}

const pickUnique = (columns: readonly StoredColumn[]) => columns.filter(({ unique }) => unique);

const refused = (problems: readonly CellProblem[], loc: readonly (string | number)[]): AppError =>
  new AppError('invalid_input', 'The row does not fit the columns of the table', {
    detail: problems.map(({ column, message }) => ({
      loc: [...loc, ...(column === '' ? [] : [column])],
      msg: column === '' ? message : `${column}: ${message}`,
      type: 'value_error',
    })),
  });

const duplicate = (table: OpenTable, column_id: string, more: Record<string, unknown> = {}): AppError => {
  const name = table.columns.find(({ id }) => id === column_id)?.name ?? '';
  return conflict(`Duplicate value for unique column "${name}"`, { column: name, ...more });
};

/** Throws a 422 that names the column, a 409 for a value that another row has. */
export async function insertOne(table: OpenTable, data: Data): Promise<DataRow> {
  const { cells, problems } = toCells(table.columns, data);
  if (problems.length > 0) throw refused(problems, ['body', 'data']);
  const id = newOrderedId(table.at.getTime());
  await queries.insertRows(table.db, table, [{ id, cells }]);
  const columns = pickUnique(table.columns);
  const [taken] = await queries.claimKeys(table.db, table.table_id, { columns, row_ids: [id] });
  if (taken) throw duplicate(table, taken.column_id);
  await queries.addToCount(table.db, table.table_id, 1);
  const { table_id, user_id, at } = table;
  const by = { created_by: user_id, updated_by: user_id, created_at: at, updated_at: at };
  return rowRecord(table.columns, { table_id, id, data: cells, ...by });
}

interface RowChange {
  readonly id: string;
  readonly data: Data;
}

/** All or none. `place` leads to the data of a change in the request. Returns the changed rows. */
export async function updateMany(
  table: OpenTable,
  changes: readonly RowChange[],
  place: (at: number) => (string | number)[],
): Promise<RowRecord[]> {
  const { db, table_id, columns } = table;
  const ids = changes.map(({ id }) => id);
  const next = new Map((await queries.rowsByIds(db, table_id, ids)).map((row) => [row.id, row]));
  for (const [at, { id, data }] of changes.entries()) {
    const former = next.get(id);
    if (!former) throw new AppError('not_found', `Row ${id} not found`);
    const { cells, problems } = toCells(columns, data, former.data);
    if (problems.length > 0) throw refused(problems, place(at));
    next.set(id, { ...former, data: cells, updated_by: table.user_id, updated_at: table.at });
  }
  const rows = [...next.values()];
  await queries.updateRows(
    db,
    table,
    rows.map(({ id, data }) => ({ id, cells: data })),
  );
  const touched = pickUnique(columns).filter(({ name }) =>
    changes.some(({ data }) => Object.hasOwn(data, name)),
  );
  await queries.freeKeys(db, table_id, { columns: touched, row_ids: ids });
  const [taken] = await queries.claimKeys(db, table_id, { columns: touched, row_ids: ids });
  if (taken) throw duplicate(table, taken.column_id, { row_id: taken.row_id });
  return rows;
}

export async function updateOne(table: OpenTable, { id, data }: RowChange): Promise<DataRow> {
  const [row] = await updateMany(table, [{ id, data }], () => ['body', 'data']);
  if (!row) throw notFound('Row');
  return rowRecord(table.columns, row);
}

/** @returns how many of the rows were there */
export async function deleteMany(table: OpenTable, ids: readonly string[]): Promise<number> {
  const gone = await queries.deleteRows(table.db, table.table_id, ids);
  await queries.addToCount(table.db, table.table_id, -gone.length);
  return gone.length;
}

/** Deletes every row of the table. */
export async function deleteAll(table: OpenTable): Promise<number> {
  let count = 0;
  for (let gone = -1; gone !== 0; count += gone) gone = await queries.deleteSlice(table.db, table.table_id);
  await queries.addToCount(table.db, table.table_id, -count);
  return count;
}

interface Upsert {
  readonly filter: Readonly<Record<string, Json>>;
  readonly data: Data;
}

/** Changes the oldest row that the filter finds; when there is none, its plain values and the data make a new one. */
export async function upsertOne(
  table: OpenTable,
  { filter, data }: Upsert,
): Promise<{ operation: 'insert' | 'update'; row: DataRow }> {
  const { db, table_id, columns } = table;
  const [found] = await oldest();
  if (found) return { operation: 'update', row: await updateOne(table, { id: found.id, data }) };
  const names = new Set(columns.map(({ name }) => name));
  const plain = Object.entries(filter).filter(
    ([name, value]) => names.has(name) && (typeof value !== 'object' || value === null),
  );
  return { operation: 'insert', row: await insertOne(table, { ...Object.fromEntries(plain), ...data }) };

  async function oldest() {
    if (Object.keys(filter).length === 0) {
      throw invalidField(['body', 'filter'], 'is empty; name the columns that tell which row is meant');
    }
    try {
      const condition = buildCondition(columns, filter);
      return await queries.selectRows(db, {
        table_id,
        condition,
        order: parseOrder(columns, 'created_at'),
        limit: 1,
      });
    } catch (error) {
      if (error instanceof QueryError) throw invalidField(['body', 'filter'], error.message);
      throw error;
    }
  }
}

export const MOST_ERRORS = 1_000;

/** A row to add; `number` is how reports name it, `id` that of a deleted row to restore. */
export interface RowInput {
  readonly number: number;
  readonly id?: string | null | undefined;
  readonly data: Data;
}

/** Adds the rows that are right and reports the others. */
export async function insertMany(
  table: OpenTable,
  inputs: readonly RowInput[],
): Promise<Omit<DataImport, 'total'>> {
  const { db, table_id, columns, at } = table;
  const errors: DataImport['errors'] = [];
  const numbers = new Map<string, number>();
  const added: queries.NewRow[] = [];
  for (const { number, id: wanted, data } of inputs) {
    const { cells, problems } = toCells(columns, data);
    const id = wanted ?? newOrderedId(at.getTime());
    if (numbers.has(id)) problems.push({ column: 'id', message: 'is there twice' });
    if (problems.length === 0) {
      numbers.set(id, number);
      added.push({ id, cells });
    } else errors.push({ row: number, errors: problems.map(describe) });
  }
  const made = await queries.insertRows(db, table, added);
  for (const { id } of added) {
    if (!made.has(id))
      errors.push({ row: numbers.get(id) ?? 0, errors: ['id: there is a row with this id'] });
  }
  const taken = await queries.claimKeys(db, table_id, { columns: pickUnique(columns), row_ids: [...made] });
  const doubles = new Set(taken.map(({ row_id }) => row_id));
  for (const id of doubles) {
    const ids = new Set(taken.filter(({ row_id }) => row_id === id).map(({ column_id }) => column_id));
    const names = columns.filter((column) => ids.has(column.id)).map(({ name }) => name);
    errors.push({
      row: numbers.get(id) ?? 0,
      errors: names.map((name) => `Duplicate value for unique column "${name}"`),
    });
  }
  // Their other unique cells go with them.
  if (doubles.size > 0) await queries.deleteRows(db, table_id, [...doubles]);
  const imported = made.size - doubles.size;
  await queries.addToCount(db, table_id, imported);
  return { imported, errors: errors.toSorted((a, b) => a.row - b.row) };
}

const describe = ({ column, message }: CellProblem): string =>
  column === '' ? message : `${column}: ${message}`;
