import type { DataTable, DataTableSummary } from '@millrace/contracts';
import { conflict } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Needs } from '../../services.ts';
import { nameIsTaken, sharedBy, unlessTaken } from '../shares/reach.ts';
import { dataTableShareable } from '../shares/shareable.ts';
import { lockOwn, requireVisible } from './access.ts';
import { changeColumns } from './change-columns.ts';
import { buildColumns, type ColumnInput, columnRecord, storedColumns } from './columns.ts';
import * as queries from './queries.ts';
import { deleteSlice } from './rows/queries.ts';

type Reader = Needs<'db' | 'actor'>;
type Writer = Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>;

const base = ({ table, may_write, ...row }: queries.VisibleRow) => ({
  id: table.id,
  name: table.name,
  description: table.description,
  row_count: table.row_count,
  owner_id: table.owner_id,
  permission: may_write ? ('write' as const) : ('read' as const),
  created_at: table.created_at.toISOString(),
  updated_at: table.updated_at.toISOString(),
  ...sharedBy(row),
});

export async function listTables(ctx: Reader): Promise<DataTableSummary[]> {
  const rows = await queries.listVisible(ctx.db, ctx.actor.user_id);
  return rows.map((row) => ({ ...base(row), column_count: storedColumns(row.table.columns).length }));
}

export async function readTable(ctx: Reader, id: string): Promise<DataTable> {
  const row = await requireVisible(ctx, id);
  return { ...base(row), columns: storedColumns(row.table.columns).map(columnRecord) };
}

const nameTaken = (name: string) => conflict(`You already have a data table named "${name}"`);

export async function createTable(
  ctx: Writer,
  input: { name: string; description?: string | null | undefined; columns: readonly ColumnInput[] },
): Promise<DataTable> {
  const id = newId();
  const now = new Date(ctx.now());
  const columns = buildColumns(input.columns);
  await ctx.db.transaction(async (tx) => {
    const row = await queries.insertTable(tx, {
      id,
      owner_id: ctx.actor.user_id,
      name: input.name,
      description: input.description || null,
      columns,
      created_at: now,
      updated_at: now,
    });
    if (!row) throw nameTaken(input.name);
    await recordAudit(tx, ctx, {
      action: 'data_table.created',
      object_kind: 'data_table',
      object_id: id,
      object_name: input.name,
    });
  });
  return readTable(ctx, id);
}

interface TableChange {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly columns?: readonly ColumnInput[] | null | undefined;
}

export async function updateTable(ctx: Writer, { id, ...input }: TableChange): Promise<DataTable> {
  await ctx.db.transaction(async (tx) => {
    const { table } = await lockOwn({ ...ctx, db: tx }, id);
    const name = input.name ?? table.name;
    const wanted = { owner_id: table.owner_id, name, except_id: id };
    if (await nameIsTaken(tx, dataTableShareable, wanted)) throw nameTaken(name);
    const former = storedColumns(table.columns);
    const columns = input.columns ? buildColumns(input.columns, former) : former;
    if (input.columns) await changeColumns(tx, { table_id: id, former, columns, at: new Date(ctx.now()) });
    const description = typeof input.description === 'string' ? input.description || null : table.description;
    const change = { name, description, columns, updated_at: new Date(ctx.now()) };
    await unlessTaken(queries.updateTable(tx, id, change), () => nameTaken(name));
    await recordAudit(tx, ctx, {
      action: 'data_table.updated',
      object_kind: 'data_table',
      object_id: id,
      object_name: name,
      details: {
        fields: (['name', 'description', 'columns'] as const).filter((key) => (input[key] ?? null) !== null),
      },
    });
  });
  return readTable(ctx, id);
}

export async function deleteTable(ctx: Writer, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { table } = await lockOwn({ ...ctx, db: tx }, id);
    // In slices: one statement for a million rows would take longer than statements may.
    while ((await deleteSlice(tx, id)) > 0);
    await queries.deleteTable(tx, id);
    await recordAudit(tx, ctx, {
      action: 'data_table.deleted',
      object_kind: 'data_table',
      object_id: id,
      object_name: table.name,
      details: { rows: table.row_count },
    });
  });
}
