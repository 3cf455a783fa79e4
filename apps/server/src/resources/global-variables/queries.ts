import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { globalVariables, users } from '../../database/schema/index.ts';
import { buildReachColumns } from '../shares/reach.ts';
import { globalVariableShareable, grantRank, visibleIds } from '../shares/shareable.ts';

export type VariableRow = typeof globalVariables.$inferSelect;

const rank = (user_id: string) => grantRank(globalVariableShareable, user_id);
const isVisible = (user_id: string) =>
  inArray(globalVariables.id, visibleIds(globalVariableShareable, user_id));

function selectVisible(db: Db, user_id: string, condition?: SQL) {
  return db
    .select({
      variable: globalVariables,
      ...buildReachColumns(globalVariableShareable, user_id),
    })
    .from(globalVariables)
    .innerJoin(users, eq(users.id, globalVariables.owner_id))
    .where(and(isVisible(user_id), condition));
}

export type VisibleRow = Awaited<ReturnType<typeof selectVisible>>[number];

export const listVisible = (db: Db, user_id: string): Promise<VisibleRow[]> =>
  selectVisible(db, user_id).orderBy(rank(user_id), asc(globalVariables.name), asc(globalVariables.id));

export async function visibleById(db: Db, user_id: string, id: string): Promise<VisibleRow | undefined> {
  const [row] = await selectVisible(db, user_id, eq(globalVariables.id, id));
  return row;
}

/** For each name the value that counts: own beats shared beats team; among equals the oldest. */
export function resolveValues(
  db: Db,
  user_id: string,
): Promise<Pick<VariableRow, 'name' | 'value' | 'sealed_value'>[]> {
  const { name, value, sealed_value } = globalVariables;
  return db
    .selectDistinctOn([name], { name, value, sealed_value })
    .from(globalVariables)
    .where(isVisible(user_id))
    .orderBy(globalVariables.name, rank(user_id), asc(globalVariables.created_at), asc(globalVariables.id));
}

/** A driver writes null as an absent value; the JSON value null is text like any other. */
const toSqlJson = (value: unknown): unknown => (value === null ? sql`'null'` : value);

export const lockVariable = (db: Db, id: string) =>
  db.select({ id: globalVariables.id }).from(globalVariables).where(eq(globalVariables.id, id)).for('update');

/** Undefined when the owner has one of that name already. */
export async function insertVariable(
  db: Db,
  row: typeof globalVariables.$inferInsert,
): Promise<VariableRow | undefined> {
  const values = { ...row, value: toSqlJson(row.value) };
  const [inserted] = await db.insert(globalVariables).values(values).onConflictDoNothing().returning();
  return inserted;
}

export async function ownByName(db: Db, owner_id: string, name: string): Promise<VariableRow | undefined> {
  const [row] = await db
    .select()
    .from(globalVariables)
    .where(and(eq(globalVariables.owner_id, owner_id), eq(globalVariables.name, name)))
    .for('update');
  return row;
}

export const updateVariable = (db: Db, id: string, change: Partial<VariableRow>) =>
  db
    .update(globalVariables)
    .set({
      ...change,
      ...('value' in change ? { value: toSqlJson(change.value) } : {}),
      revision: sql`${globalVariables.revision} + 1`,
    })
    .where(eq(globalVariables.id, id));

/** Deletes those of the ids that the person owns. */
export function deleteOwn(db: Db, owner_id: string, ids: readonly string[]): Promise<VariableRow[]> {
  return db
    .delete(globalVariables)
    .where(and(eq(globalVariables.owner_id, owner_id), inArray(globalVariables.id, [...ids])))
    .returning();
}
