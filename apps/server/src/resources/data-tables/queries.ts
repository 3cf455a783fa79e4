import { and, asc, eq, inArray, type SQL } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { dataTables, users } from '../../database/schema/index.ts';
import { buildReachColumns } from '../shares/reach.ts';
import { dataTableShareable, grantRank, mayWrite, visibleIds } from '../shares/shareable.ts';

export type DataTableRow = typeof dataTables.$inferSelect;

const rank = (user_id: string) => grantRank(dataTableShareable, user_id);

function selectVisible(db: Db, user_id: string, condition?: SQL) {
  return db
    .select({
      table: dataTables,
      may_write: mayWrite(dataTableShareable, user_id),
      ...buildReachColumns(dataTableShareable, user_id),
    })
    .from(dataTables)
    .innerJoin(users, eq(users.id, dataTables.owner_id))
    .where(and(inArray(dataTables.id, visibleIds(dataTableShareable, user_id)), condition));
}

export type VisibleRow = Awaited<ReturnType<typeof selectVisible>>[number];

export const listVisible = (db: Db, user_id: string): Promise<VisibleRow[]> =>
  selectVisible(db, user_id).orderBy(rank(user_id), asc(dataTables.name), asc(dataTables.id));

export async function visibleById(db: Db, user_id: string, id: string): Promise<VisibleRow | undefined> {
  const [row] = await selectVisible(db, user_id, eq(dataTables.id, id));
  return row;
}

/** Until the transaction ends, no other changes the table or a row of it. */
export async function lockTable(db: Db, id: string): Promise<DataTableRow | undefined> {
  const [row] = await db.select().from(dataTables).where(eq(dataTables.id, id)).for('update');
  return row;
}

/** Undefined when the owner already has a table of that name. */
export async function insertTable(
  db: Db,
  row: typeof dataTables.$inferInsert,
): Promise<DataTableRow | undefined> {
  const [inserted] = await db.insert(dataTables).values(row).onConflictDoNothing().returning();
  return inserted;
}

export const updateTable = (db: Db, id: string, change: Partial<DataTableRow>) =>
  db.update(dataTables).set(change).where(eq(dataTables.id, id));

export const deleteTable = (db: Db, id: string) => db.delete(dataTables).where(eq(dataTables.id, id));
