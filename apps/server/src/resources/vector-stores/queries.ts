import { and, asc, eq, inArray, type SQL } from 'drizzle-orm';
import { isUuid } from '../../core/ids.ts';
import type { Db } from '../../database/database.ts';
import { credentials, users, vectorStores } from '../../database/schema/index.ts';
import { buildReachColumns } from '../shares/reach.ts';
import { grantRank, vectorStoreShareable, visibleIds } from '../shares/shareable.ts';

export type VectorStoreRow = typeof vectorStores.$inferSelect;

const rank = (user_id: string) => grantRank(vectorStoreShareable, user_id);

function selectVisible(db: Db, user_id: string, condition?: SQL) {
  return db
    .select({
      store: vectorStores,
      backend: credentials.type,
      ...buildReachColumns(vectorStoreShareable, user_id),
    })
    .from(vectorStores)
    .innerJoin(users, eq(users.id, vectorStores.owner_id))
    .leftJoin(credentials, eq(credentials.id, vectorStores.credential_id))
    .where(and(inArray(vectorStores.id, visibleIds(vectorStoreShareable, user_id)), condition));
}

export type VisibleRow = Awaited<ReturnType<typeof selectVisible>>[number];

export const listVisible = (db: Db, user_id: string): Promise<VisibleRow[]> =>
  selectVisible(db, user_id).orderBy(rank(user_id), asc(vectorStores.name), asc(vectorStores.id));

export async function visibleById(db: Db, user_id: string, id: string): Promise<VisibleRow | undefined> {
  // Nodes keep what exports and people have written into them.
  if (!isUuid(id)) return undefined;
  const [row] = await selectVisible(db, user_id, eq(vectorStores.id, id));
  return row;
}

/** Undefined when the owner already has that name, or any user that collection. */
export async function insertStore(
  db: Db,
  row: typeof vectorStores.$inferInsert,
): Promise<VectorStoreRow | undefined> {
  const [inserted] = await db.insert(vectorStores).values(row).onConflictDoNothing().returning();
  return inserted;
}

export const updateStore = (db: Db, id: string, change: Partial<VectorStoreRow>) =>
  db.update(vectorStores).set(change).where(eq(vectorStores.id, id));

export const deleteStore = (db: Db, id: string) => db.delete(vectorStores).where(eq(vectorStores.id, id));
