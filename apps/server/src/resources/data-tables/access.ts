import { forbidden, notFound } from '../../core/app-error.ts';
import type { Needs } from '../../services.ts';
import { lockTable, type VisibleRow, visibleById } from './queries.ts';

type Reader = Needs<'db'> & { readonly actor: { readonly user_id: string } };

/** The table when it is the caller's own or shared with them; otherwise it does not exist for them. */
export async function requireVisible(ctx: Reader, id: string): Promise<VisibleRow> {
  const row = await visibleById(ctx.db, ctx.actor.user_id, id);
  if (!row) throw notFound('Data table');
  return row;
}

/** The table when the caller may change its rows. */
export async function requireWritable(ctx: Reader, id: string): Promise<VisibleRow> {
  const row = await requireVisible(ctx, id);
  if (!row.may_write) throw forbidden('The data table is shared with you for reading only');
  return row;
}

/** The same, locked. `db` is the transaction of the change. */
export const lockWritable = async (ctx: Reader, id: string): Promise<VisibleRow> =>
  locked(ctx, await requireWritable(ctx, id));

/** The table, locked, when it is the caller's own. `db` is the transaction of the change. */
export async function lockOwn(ctx: Reader, id: string): Promise<VisibleRow> {
  const row = await requireVisible(ctx, id);
  if (row.rank !== 0) throw forbidden('Only the owner of the data table may do this');
  return locked(ctx, row);
}

/** Data that was read before the lock may be out of date. */
async function locked({ db }: Reader, row: VisibleRow): Promise<VisibleRow> {
  const table = await lockTable(db, row.table.id);
  if (!table) throw notFound('Data table');
  return { ...row, table };
}
