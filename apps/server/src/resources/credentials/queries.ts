import { and, asc, desc, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { isUuid } from '../../core/ids.ts';
import type { Db } from '../../database/database.ts';
import { credentials, users } from '../../database/schema/index.ts';
import { buildReachColumns } from '../shares/reach.ts';
import { credentialShareable, grantRank, visibleIds } from '../shares/shareable.ts';

export type CredentialRow = typeof credentials.$inferSelect;

const rank = (user_id: string) => grantRank(credentialShareable, user_id);

/** Columns that depend on who looks. */
function selectVisible(db: Db, user_id: string, condition?: SQL) {
  return db
    .select({
      credential: credentials,
      ...buildReachColumns(credentialShareable, user_id),
    })
    .from(credentials)
    .innerJoin(users, eq(users.id, credentials.owner_id))
    .where(and(inArray(credentials.id, visibleIds(credentialShareable, user_id)), condition));
}

export type VisibleRow = Awaited<ReturnType<typeof selectVisible>>[number];

/** Own ones first, then by how they were shared; the newest first within each. One query. */
export const listVisible = (db: Db, user_id: string): Promise<VisibleRow[]> =>
  selectVisible(db, user_id).orderBy(rank(user_id), desc(credentials.created_at), asc(credentials.id));

export const listOfTypes = (db: Db, user_id: string, types: readonly string[]): Promise<VisibleRow[]> =>
  selectVisible(db, user_id, inArray(credentials.type, [...types])).orderBy(
    asc(credentials.name),
    rank(user_id),
    asc(credentials.id),
  );

export async function visibleById(db: Db, user_id: string, id: string): Promise<VisibleRow | undefined> {
  // Nodes keep what exports and people have written into them.
  if (!isUuid(id)) return undefined;
  const [row] = await selectVisible(db, user_id, eq(credentials.id, id));
  return row;
}

export const visibleByIds = (db: Db, user_id: string, ids: readonly string[]): Promise<VisibleRow[]> =>
  selectVisible(db, user_id, inArray(credentials.id, [...ids]));

/** Every credential that the user can resolve, in no order. */
export const visibleRows = (db: Db, user_id: string): Promise<CredentialRow[]> =>
  db
    .select()
    .from(credentials)
    .where(inArray(credentials.id, visibleIds(credentialShareable, user_id)));

/** For each name the one that counts (§5.8, own beats shared beats team); among equals the oldest. */
export async function resolveNames(
  db: Db,
  user_id: string,
  names: readonly string[] | undefined,
): Promise<CredentialRow[]> {
  const condition = names ? inArray(credentials.name, [...names]) : undefined;
  const rows = await db
    .selectDistinctOn([credentials.name], { credential: credentials })
    .from(credentials)
    .where(and(inArray(credentials.id, visibleIds(credentialShareable, user_id)), condition))
    .orderBy(credentials.name, rank(user_id), asc(credentials.created_at), asc(credentials.id));
  return rows.map((row) => row.credential);
}

/** Undefined when the owner has one of that name already. */
export async function insertCredential(
  db: Db,
  row: typeof credentials.$inferInsert,
): Promise<CredentialRow | undefined> {
  const [inserted] = await db.insert(credentials).values(row).onConflictDoNothing().returning();
  return inserted;
}

export const updateCredential = (db: Db, id: string, change: Partial<CredentialRow>) =>
  db.update(credentials).set(change).where(eq(credentials.id, id));

export async function credentialById(db: Db, id: string): Promise<CredentialRow | undefined> {
  const [row] = await db.select().from(credentials).where(eq(credentials.id, id));
  return row;
}

/** Makes this process the one that asks for new tokens until that time; undefined while another one does. */
export async function claimRenewal(
  db: Db,
  id: string,
  { now, until }: { now: Date; until: Date },
): Promise<CredentialRow | undefined> {
  const isFree = or(isNull(credentials.renewing_until), lte(credentials.renewing_until, now));
  const [row] = await db
    .update(credentials)
    .set({ renewing_until: until })
    .where(and(eq(credentials.id, id), isFree))
    .returning();
  return row;
}

/** Ends the claim that `until` names, and no later one. */
export const endRenewal = (db: Db, id: string, until: Date) =>
  db
    .update(credentials)
    .set({ renewing_until: null })
    .where(and(eq(credentials.id, id), eq(credentials.renewing_until, until)));

export const lockCredential = (db: Db, id: string) =>
  db.select({ id: credentials.id }).from(credentials).where(eq(credentials.id, id)).for('update');

export const deleteCredential = (db: Db, id: string) => db.delete(credentials).where(eq(credentials.id, id));

/** The rows of all users in order of id, for key checks and rotation. */
export const rowsAfter = (db: Db, after: string | undefined, limit: number): Promise<CredentialRow[]> =>
  db
    .select()
    .from(credentials)
    .where(after === undefined ? undefined : gt(credentials.id, after))
    .orderBy(asc(credentials.id))
    .limit(limit);

/** Replaces the token only when the credential has not been changed meanwhile. */
export async function reseal(
  db: Db,
  row: CredentialRow,
  sealed: { encrypted_config: string; key_id: string },
): Promise<void> {
  await db
    .update(credentials)
    .set(sealed)
    .where(and(eq(credentials.id, row.id), sql`${credentials.encrypted_config} = ${row.encrypted_config}`));
}
